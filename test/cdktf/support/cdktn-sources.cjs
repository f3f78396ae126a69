"use strict";

const { execFileSync } = require("node:child_process");
const { join } = require("node:path");

const root = join(__dirname, "../../..");
const script = join(root, "scripts/generate/cdktf/cdktn-sources.ts");

/** Brings cdktn's L1, which git does not hold, up to date before the tests on cdktn. */
module.exports = () => {
  execFileSync(process.execPath, ["-r", "ts-node/register", script], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
};
