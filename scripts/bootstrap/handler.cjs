"use strict";

const fs = require("node:fs");
const path = require("node:path");

const ENTRY = "provider/pulumi/dynamic/handler";

/**
 * The validator's messages in other languages are never shown.
 * @type {import("esbuild").Plugin}
 */
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
 * Our own modules and the validator are in the file; all other packages are those that are
 * installed, so that an audit of a project sees what its calls go through.
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
 * Puts one file in the place of the compiled entry that Pulumi's dynamic provider loads in each
 * command. A module for each file of the sources takes twice as long to load, most of it for the
 * validator's.
 * @param {string} root the checkout
 */
async function bundleHandler(root) {
  // Only those who build the package have it.
  const { build } = require("esbuild");
  const zod = path.join(root, "node_modules", "zod");
  const { version } = JSON.parse(fs.readFileSync(path.join(zod, "package.json"), "utf8"));
  const licence = fs.readFileSync(path.join(zod, "LICENSE"), "utf8").trim();
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
    banner: { js: `/*! This file contains zod ${version}:\n\n${licence}\n*/` },
    logLevel: "warning",
    plugins: [othersAsInstalled, oneLanguage],
  });
}

module.exports = { bundleHandler, oneLanguage };
