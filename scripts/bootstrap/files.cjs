"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

/**
 * @param {string} folder
 * @returns {string[]} paths of all files below it, sorted; none where there is no such folder
 */
function filesBelow(folder) {
  if (!fs.existsSync(folder)) return [];
  // Not `recursive`, which follows a link to a folder, and so one to a folder around it for ever.
  const files = fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(file);
    return entry.isFile() ? [file] : [];
  });
  return files.sort();
}

/**
 * @param {string} file @returns {string | undefined} its text; undefined where it cannot be read
 */
function readIfThere(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * Writes files by their paths below a folder.
 * @param {string} folder @param {Readonly<Record<string, string>>} files @param {number} [mode]
 */
function writeFiles(folder, files, mode) {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, { mode });
  }
}

/**
 * Works in a folder that is removed afterwards.
 * @template T @param {string} name what its name begins with
 * @param {(folder: string) => Promise<T>} work @returns {Promise<T>}
 */
async function inFolder(name, work) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), name));
  try {
    return await work(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

module.exports = { filesBelow, inFolder, readIfThere, writeFiles };
