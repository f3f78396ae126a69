"use strict";

/**
 * `npm run workflow -- JOB`: runs a job of `.github/workflows/` on this machine with act, without
 * containers. The job gets a copy of the checkout. Actions that others keep are left out, because
 * what they bring (Node.js, Go, caches) is here already; steps with `run:`, and our own actions, do
 * what they do on GitHub.
 */

const fs = require("node:fs");
const path = require("node:path");
const { inFolder } = require("./bootstrap/files.cjs");
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

/** @returns {string[]} every action of others that a workflow names: \`actions/cache@27d5…\` */
function actionsOfOthers() {
  const used = FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".yml"))
      .map((name) => fs.readFileSync(path.join(ROOT, folder, name), "utf8")),
  ).flatMap((text) => [...text.matchAll(/\buses: ([\w.-]+\/[\w./-]+@\w+)/g)]);
  return [...new Set(used.map(([, action]) => `${action}`))].sort();
}

/** @returns {string[]} systems that jobs run on; each is this machine */
function systems() {
  const folder = path.join(ROOT, FOLDERS[0] ?? "");
  const texts = fs
    .readdirSync(folder)
    .map((name) => fs.readFileSync(path.join(folder, name), "utf8"));
  const named = texts.flatMap((text) => [...text.matchAll(/runs-on: ([\w.-]+)$/gm)]);
  return [...new Set(named.map(([, name]) => `${name}`))];
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
    fs.writeFileSync(path.join(folder, "action.yml"), LEFT_OUT);
    // Without it act asks which image it shall use.
    fs.mkdirSync(path.join(folder, "config", "act"), { recursive: true });
    fs.writeFileSync(path.join(folder, "config", "act", "actrc"), "");
    const args = [
      ...["--workflows", `.github/workflows/${workflow}.yml`, "--job", job],
      ...systems().flatMap((name) => ["--platform", `${name}=-self-hosted`]),
      ...actionsOfOthers().flatMap((action) => ["--local-repository", `${action}=${folder}`]),
      ...["--action-offline-mode", "--no-cache-server"],
      ...["--action-cache-path", path.join(folder, "cache")],
      ...rest,
    ];
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

module.exports = { LEFT_OUT, actionsOfOthers };
