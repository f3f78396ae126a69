"use strict";

// Pulumi's SDK sets this flag while it loads, in each kind of process at another moment, and V8
// rejects compiled code of other flags: the kinds would undo each other's cache all the time.
require("node:v8").setFlagsFromString("--allow-natives-syntax");

// The host that is built here takes no `typescript: false` from a program's settings.
if (process.env.ERPHOST_TESTED_PROGRAM === "javascript") {
  process.env.PULUMI_NODEJS_TYPESCRIPT = "false";
}
