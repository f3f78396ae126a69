"use strict";

const fs = require("node:fs");
const path = require("node:path");

/**
 * Bundles the emulator's page, for `dist/` and for an emulator that runs from source.
 * @param {string} root the checkout
 * @returns {Promise<{ script: string, styles: string }>}
 */
async function bundlePage(root) {
  // Only those who build the package have it.
  const { build } = require("esbuild");
  const banner = (/** @type {string} */ name) => {
    const read = (/** @type {string} */ file) =>
      fs.readFileSync(path.join(root, "node_modules", name, file), "utf8");
    const { version } = JSON.parse(read("package.json"));
    return `/*! This file contains ${name} ${version}:\n\n${read("LICENSE").trim()}\n*/`;
  };
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["main.tsx", "main.css"].map((name) => `emulator/dashboard/${name}`),
    outdir: "dist",
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome123", "firefox128", "safari17.5"],
    tsconfig: "tsconfig.page.json",
    banner: { js: banner("preact"), css: banner("@knadh/oat") },
    logLevel: "warning",
  });
  const text = (/** @type {string} */ ending) =>
    outputFiles.find((file) => file.path.endsWith(ending))?.text ?? "";
  return { script: text(".js"), styles: text(".css") };
}

/**
 * Puts the page where the compiled module looks for it.
 * @param {string} root the checkout
 */
async function buildPage(root) {
  const { script, styles } = await bundlePage(root);
  const folder = path.join(root, "dist", "emulator", "dashboard");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "main.js"), script);
  fs.writeFileSync(path.join(folder, "main.css"), styles);
}

module.exports = { bundlePage, buildPage };
