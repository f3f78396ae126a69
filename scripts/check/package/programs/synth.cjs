"use strict";

/** `node synth.cjs cdktf` or `cdktn`: synthesises a server, and prints what Terraform would get. */
const library = process.argv[2];
const { App, Testing, TerraformStack } = require(library);
const { ErphostProvider, Server } = require(`erphost/${library}`);

const stack = new TerraformStack(new App(), "stack");
new ErphostProvider(stack, "provider");
new Server(stack, "main", { name: "erp-main" });
console.log(Object.keys(JSON.parse(Testing.synth(stack)).resource).join());
