"use strict";

const fs = require("node:fs");
const path = require("node:path");

/**
 * Bundles the emulator's page, and puts it where the compiled module looks for it.
 * @param {string} root the checkout
 */
async function buildPage(root) {
  // Only those who build the package have it.
  const { build } = require("esbuild");
  const banner = (/** @type {string} */ name) => {
    const read = (/** @type {string} */ file) =>
      fs.readFileSync(path.join(root, "node_modules", name, file), "utf8");
    const { version } = JSON.parse(read("package.json"));
    return `/*! This file contains ${name} ${version}:\n\n${read("LICENSE").trim()}\n*/`;
  };
  await build({
    absWorkingDir: root,
    entryPoints: ["main.tsx", "main.css"].map((name) => `emulator/dashboard/${name}`),
    outdir: "dist/emulator/dashboard",
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome123", "firefox128", "safari17.5"],
    tsconfig: "tsconfig.page.json",
    banner: { js: banner("preact"), css: banner("@knadh/oat") },
    logLevel: "warning",
  });
}

module.exports = { buildPage };
