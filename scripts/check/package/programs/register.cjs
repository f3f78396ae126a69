"use strict";

/** Registers a server with an engine that is not there, and prints its type. */
const pulumi = require("@pulumi/pulumi");

pulumi.runtime.setMocks({
  newResource: ({ type, inputs }) => {
    console.log(type);
    return { id: "srv_1", state: inputs };
  },
  call: ({ inputs }) => inputs,
});
const { Server } = require("erphost/pulumi");
new Server("main", { name: "erp-main" });
