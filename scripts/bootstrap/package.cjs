"use strict";

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { buildPage, bundleHandler } = require("./bundles.cjs");
const { filesBelow, readIfThere } = require("./files.cjs");
const { withLock } = require("./lock.cjs");
const { runProgram, lastLines } = require("./programs.cjs");
const { step } = require("./progress.cjs");

/** What `dist/` is made from. */
const SOURCES = ["provider", "emulator", "cli", "cdktf-bindings"];
const COMPILE_MS_MAX = 10 * 60_000;
const SETTINGS = [
  ...["tsconfig.json", "tsconfig.build.json", "package-lock.json"],
  "scripts/bootstrap/bundles.cjs",
];

/**
 * Brings `dist/` to what the sources say, as engines load the package compiled; silent if it is.
 * `erphost/cdktn`, which no engine loads, is left to `npm run build`.
 * @param {string} root the checkout
 * @param {NodeJS.ProcessEnv} env @param {string} node
 */
async function ensureBuild(root, env, node) {
  linkSelf(root);
  if (readIfThere(stampOf(root)) === stampFor(root)) return;
  await withLock(path.join(root, ".build.lock"), "the package", async () => {
    const wanted = stampFor(root);
    if (readIfThere(stampOf(root)) === wanted) return;
    await step("compiling the package to dist/", async () => {
      fs.rmSync(stampOf(root), { force: true });
      const compiler = path.join(root, "node_modules", "typescript", "bin", "tsc");
      const memory = path.join(root, "node_modules", ".erphost.tsbuildinfo");
      // The compiler trusts its build info rather than the disk, so the two go together.
      if (!fs.existsSync(path.join(root, "dist", "provider"))) fs.rmSync(memory, { force: true });
      const args = ["-p", "tsconfig.build.json", "--incremental", "--tsBuildInfoFile", memory];
      const options = { cwd: root, env, timeoutMs: COMPILE_MS_MAX };
      const { code, output } = await runProgram(node, [compiler, ...args], options);
      if (code !== 0) throw new Error(`the package does not compile:\n${lastLines(output)}`);
      await bundleHandler(root);
      await buildPage(root);
    });
    fs.writeFileSync(stampOf(root), wanted);
  });
}

/**
 * Programs here import the package by name, and Pulumi looks for it from their folder upwards.
 * @param {string} root
 */
function linkSelf(root) {
  const link = path.join(root, "node_modules", "erphost");
  try {
    fs.symlinkSync(root, link, "junction");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
  }
}

function stampOf(root) {
  return path.join(root, "dist", ".built");
}

function stampFor(root) {
  const hash = createHash("sha256");
  const files = SOURCES.flatMap((folder) => filesBelow(path.join(root, folder)));
  for (const file of [...files, ...SETTINGS.map((name) => path.join(root, name))]) {
    hash.update(`${path.relative(root, file)}\n`);
    hash.update(fs.readFileSync(file));
  }
  return `${hash.digest("hex")}\n`;
}

module.exports = { ensureBuild };
