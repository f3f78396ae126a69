/** `npm publish` of a folder's archives that the registry lacks: a release can be run again. */
"use strict";

const { execFileSync, spawnSync } = require("node:child_process");
const { readdirSync } = require("node:fs");
const { join, resolve } = require("node:path");

const [, , folder = ""] = process.argv;

/** @param {readonly string[]} words */
const npm = (...words) => spawnSync("npm", words, { encoding: "utf8" });

/** @param {string} archive @returns {string} `erphost@0.1.0` */
function nameOf(archive) {
  const { name, version } = JSON.parse(
    execFileSync("tar", ["-xzOf", archive, "package/package.json"], { encoding: "utf8" }),
  );
  return `${name}@${version}`;
}

function publish(archive) {
  const name = nameOf(archive);
  if (npm("view", name, "version").stdout.trim() !== "") {
    console.log(`${name} is published already.`);
    return;
  }
  const { status, stderr } = npm("publish", archive, "--provenance", "--access", "public");
  if (status !== 0) throw new Error(`npm could not publish ${name}: ${stderr}`);
  console.log(`${name} is published.`);
}

try {
  if (folder === "") throw new Error("Say the folder of the archives.");
  const archives = readdirSync(folder).filter((file) => file.endsWith(".tgz"));
  if (archives.length === 0) throw new Error(`${folder} holds no archive.`);
  for (const archive of archives.sort()) publish(resolve(join(folder, archive)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
