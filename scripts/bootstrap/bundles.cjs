"use strict";

/** What of the package is one file each: the entry that Pulumi loads, and the emulator's page. */

const fs = require("node:fs");
const path = require("node:path");

const ENTRY = "provider/pulumi/dynamic/handler";

/** The validator's messages in other languages are never shown. @type {import("esbuild").Plugin} */
const oneLanguage = {
  name: "one-language",
  setup(builder) {
    builder.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, (file) => ({
      loader: "js",
      resolveDir: path.dirname(file.path),
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/**
 * Ours and the validator are in the file; the rest is installed, where a project's audit sees it.
 * @type {import("esbuild").Plugin}
 */
const othersAsInstalled = {
  name: "others-as-installed",
  setup(builder) {
    builder.onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) => {
      if (kind === "entry-point" || /^zod(?:\/|$)/.test(name)) return undefined;
      return { path: name, external: true };
    });
  },
};

/**
 * What its licence asks of a file that holds a package.
 * @param {string} root @param {string} name
 */
function bannerOf(root, name) {
  const read = (/** @type {string} */ file) =>
    fs.readFileSync(path.join(root, "node_modules", name, file), "utf8");
  const { version } = JSON.parse(read("package.json"));
  return `/*! This file contains ${name} ${version}:\n\n${read("LICENSE").trim()}\n*/`;
}

/**
 * Puts one file in the place of the entry that Pulumi's dynamic provider loads in each command:
 * a module for each source takes twice as long to load, most of it for the validator's.
 * @param {string} root the checkout
 */
async function bundleHandler(root) {
  // Only those who build the package have it.
  const { build } = require("esbuild");
  await build({
    absWorkingDir: root,
    entryPoints: [`${ENTRY}.ts`],
    outfile: path.join("dist", `${ENTRY}.js`),
    allowOverwrite: true,
    bundle: true,
    platform: "node",
    mainFields: ["module", "main"],
    target: "node22",
    format: "cjs",
    banner: { js: bannerOf(root, "zod") },
    logLevel: "warning",
    plugins: [othersAsInstalled, oneLanguage],
  });
}

/**
 * Bundles the emulator's page, for `dist/` and for an emulator that runs from source.
 * @param {string} root the checkout
 * @returns {Promise<{ script: string, styles: string }>}
 */
async function bundlePage(root) {
  // Only those who build the package have it.
  const { build } = require("esbuild");
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
    banner: { js: bannerOf(root, "preact"), css: bannerOf(root, "@knadh/oat") },
    logLevel: "warning",
  });
  const text = (/** @type {string} */ ending) =>
    outputFiles.find((file) => file.path.endsWith(ending))?.text ?? "";
  return { script: text(".js"), styles: text(".css") };
}

/** Puts the page where the compiled module looks for it. @param {string} root the checkout */
async function buildPage(root) {
  const { script, styles } = await bundlePage(root);
  const folder = path.join(root, "dist", "emulator", "dashboard");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "main.js"), script);
  fs.writeFileSync(path.join(folder, "main.css"), styles);
}

module.exports = { buildPage, bundleHandler, bundlePage, oneLanguage };
