"use strict";

/** `node synth.cjs cdktf` or `cdktn`: synthesises a server, and prints what Terraform would get. */
const library = process.argv[2];
const { App, TerraformStack } = require(library);
const { ErphostProvider, Server } = require(`erphost/${library}`);
const { expectStack, synth } = require(`erphost/${library}/testing`);

const stack = new TerraformStack(new App(), "stack");
new ErphostProvider(stack, "provider");
new Server(stack, "main", { name: "erp-main" });
expectStack(stack).toDeclare(Server, { name: "erp-main" });
console.log(Object.keys(JSON.parse(synth(stack)).resource).join());
