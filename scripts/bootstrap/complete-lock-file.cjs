"use strict";

/**
 * `node scripts/bootstrap/complete-lock-file.cjs [--check]`, after every change of dependencies.
 *
 * npm leaves a package for another platform out of the lock file when its registry does not have
 * it, and then rejects that very file in `npm ci`. This adds those packages, in the requested
 * version, so that a plain `npm ci` works everywhere. An entry added here has no checksum, which
 * only the registry knows. With `--check` nothing is written, and an incomplete lock file fails.
 */

const fs = require("node:fs");
const path = require("node:path");

const LOCK_FILE = path.join(__dirname, "..", "..", "package-lock.json");

const PLATFORM =
  /-(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|ia32|loong64|ppc64|riscv64|s390x|x64)\b/;

const lockFile = JSON.parse(fs.readFileSync(LOCK_FILE, "utf8"));
/** @type {Record<string, any>} */
const packages = lockFile.packages;
const present = new Set(Object.keys(packages).map((folder) => folder.split("node_modules/").pop()));
const added = [];

for (const entry of Object.values(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (present.has(name)) continue;
    const [, os, cpu] = PLATFORM.exec(name) ?? [];
    if (os === undefined) throw new Error(`the name of ${name} does not contain a platform`);
    const dev = entry.dev === true ? { dev: true } : {};
    packages[`node_modules/${name}`] = { version, cpu: [cpu], ...dev, optional: true, os: [os] };
    present.add(name);
    added.push(name);
  }
}

if (process.argv.includes("--check")) {
  if (added.length > 0) {
    process.stderr.write(
      `package-lock.json is missing ${added.join(", ")}.\n` +
        "Run node scripts/bootstrap/complete-lock-file.cjs and commit the file.\n",
    );
    process.exitCode = 1;
  }
} else if (added.length > 0) {
  const sorted = Object.entries(packages).sort(([left], [right]) =>
    left.localeCompare(right, "en"),
  );
  lockFile.packages = Object.fromEntries(sorted);
  fs.writeFileSync(LOCK_FILE, `${JSON.stringify(lockFile, null, 2)}\n`);
  process.stdout.write(`added ${added.length} packages for other platforms\n`);
}
