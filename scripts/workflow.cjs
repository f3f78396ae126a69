"use strict";

/**
 * `npm run workflow -- JOB`: runs a job of `.github/workflows/` on this machine with act, without
 * containers. The job gets a copy of the checkout. Actions that others keep are left out, because
 * what they bring (Node.js, Go, caches) is here already; steps with `run:`, and our own actions, do
 * what they do on GitHub.
 */

const fs = require("node:fs");
const path = require("node:path");
const { inFolder, writeFiles } = require("./bootstrap/files.cjs");
const { becomeProgram } = require("./bootstrap/programs.cjs");

const ROOT = path.join(__dirname, "..");
const FOLDERS = [".github/workflows", ".github/actions"];

const USAGE = `Usage: npm run workflow -- JOB [--workflow NAME] [OPTIONS OF ACT]

Runs a job of .github/workflows/NAME.yml (by default ci.yml) on this machine, with act.
`;

/** An action that does nothing, in the place of one that others keep. */
const LEFT_OUT = `name: Left out
description: Brings nothing to a machine that has it
runs:
  using: composite
  steps:
    - run: 'true'
      shell: bash
`;

/** What bash runs before a step: act drops the last words of one that fails, if it ends at once. */
const LAST_WORDS = "unset BASH_ENV; trap '[ $? = 0 ] || sleep 0.3' EXIT\n";

/** @param {RegExp} pattern @returns {string[]} what workflows and actions hold of it, each once */
function found(pattern) {
  const texts = FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".yml"))
      .map((name) => fs.readFileSync(path.join(ROOT, folder, name), "utf8")),
  );
  const names = texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => `${name}`));
  return [...new Set(names)];
}

/** Every action of others that is used: `actions/cache@27d5…` */
const actionsOfOthers = () => found(/\buses: ([\w.-]+\/[\w./-]+@\w+)/g);

/**
 * Lays out what stands in for actions of others.
 * @param {string} folder an empty one @returns {string[]} the words that have act use it
 */
function standIns(folder) {
  // Without the second one act asks which image it shall use.
  writeFiles(folder, { "action.yml": LEFT_OUT, "config/act/actrc": "", lastWords: LAST_WORDS });
  return [
    // Whatever system a job runs on is this machine.
    ...found(/runs-on: ([\w.-]+)$/gm).flatMap((name) => ["--platform", `${name}=-self-hosted`]),
    ...actionsOfOthers().flatMap((action) => ["--local-repository", `${action}=${folder}`]),
    ...["--action-offline-mode", "--no-cache-server"],
    ...["--action-cache-path", path.join(folder, "cache")],
    ...["--env", `BASH_ENV=${path.join(folder, "lastWords")}`],
  ];
}

/** @param {readonly string[]} words @returns {Promise<number>} the exit code */
async function main(words) {
  const [job = "", ...rest] = words;
  if (job === "" || words.includes("--help")) {
    process.stdout.write(USAGE);
    return job === "" ? 2 : 0;
  }
  const at = rest.indexOf("--workflow");
  const workflow = at < 0 ? "ci" : rest.splice(at, 2)[1];
  return inFolder("erphost-workflow-", async (folder) => {
    const file = `.github/workflows/${workflow}.yml`;
    const args = ["--workflows", file, "--job", job, ...standIns(folder), ...rest];
    const env = { ...process.env, XDG_CONFIG_HOME: path.join(folder, "config") };
    return becomeProgram("act", args, { cwd: ROOT, env });
  });
}

if (require.main === module) {
  main(process.argv.slice(2)).then(
    (code) => void (process.exitCode = code),
    (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    },
  );
}

module.exports = { actionsOfOthers, standIns };
