"use strict";

// The task `engines` has prepared everything before this runs; what is left is to show it.
process.stdout.write(`${process.env.ERPHOST_ENGINES_FOUND ?? ""}\n`);
