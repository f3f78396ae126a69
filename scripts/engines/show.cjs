"use strict";

/** The task `engines` has prepared everything before this runs; what is left is to show it. */

const { readManifest } = require("./cache.cjs");

const usage = () => {
  const engines = Object.entries(readManifest()).map(
    ([name, { title, version, build }]) =>
      `  ${name.padEnd(28)}${build.minutes.join(" to ")}`.padEnd(42) + `${title} ${version}`,
  );
  return `Usage: npm run engines -- [NAME…]

Gets the named engines, or pulumi, tofu and restapi, and prints where each one is: on PATH, in the
cache, downloaded (checked against the checksum that this checkout pins), or built with Go where its
vendor does not answer within three seconds. Building takes these minutes on two cores: the first
where nothing else runs, the second where others need them too.

${engines.join("\n")}

  ERPHOST_CACHE_DIR        the folder that keeps them, for every checkout of a user
  ERPHOST_ENGINES_MIRROR   where to download releases from instead of their vendors`;
};

const isHelp = process.argv.includes("--help") || process.argv.includes("-h");
process.stdout.write(`${isHelp ? usage() : (process.env.ERPHOST_ENGINES_FOUND ?? "")}\n`);
