import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { folder as newFolder } from "../support/folder";
import { ROOT } from "./support/run";

let folder: string;
beforeEach(() => void (folder = newFolder()));

/** Runs jest over test files of these texts, with the reporters of this checkout. */
function runTests(
  files: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv = {},
  ...args: readonly string[]
) {
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.test.js`), text);
  }
  const config = join(folder, "jest.config.json");
  const reporters = ["default", join(ROOT, "test/support/reporter.cjs")];
  writeFileSync(config, JSON.stringify({ reporters, transform: {} }));
  // One pipe for both streams: the plain line has to be the last of everything.
  const jest = join(ROOT, "node_modules/jest/bin/jest.js");
  const command = `exec "$0" "$@" 2>&1`;
  const words = [process.execPath, jest, "--config", config, "--runInBand", ...args];
  const { status, stdout } = spawnSync("sh", ["-c", command, ...words], {
    encoding: "utf8",
    // Of this test, which jest keeps from what others start.
    env: { ...process.env, ERPHOST_SKIPS: "", ...env },
  });
  return { status, text: stdout, lastLine: stdout.trimEnd().split("\n").at(-1) };
}

const GOOD = `test("one", () => {});`;
const SKIPPING = `test("one", () => {}); test.skip("two", () => {});`;

test("the last line of a test run counts what passed, failed, did not load and was skipped, and skipped tests are named", () => {
  const { status, text, lastLine } = runTests({
    some: `${GOOD}
        test("two", () => { throw new Error("no"); });
        describe("group", () => test.skip("three", () => {}));
        test.todo("four");`,
    bad: `throw new Error("no");`,
  });
  expect({ status, lastLine }).toEqual({ status: 1, lastLine: "1 passed, 2 failed, 2 skipped" });
  expect(text).toContain("\nSkipped:\n  group three\n  four\n");
});

test("the last line of a test run does not mention skipped tests where there are none", () => {
  const { status, lastLine } = runTests({ good: GOOD });
  expect({ status, lastLine }).toEqual({ status: 0, lastLine: "1 passed, 0 failed" });
});

describe("runs that skip a test", () => {
  const strict = { ERPHOST_SKIPS: "refused", ERPHOST_TEST_ENGINES: "{}" };

  test("a run that skips a test fails where everything that tests need is there", () => {
    const { status, lastLine, text } = runTests({ some: SKIPPING }, strict);
    expect({ status, lastLine }).toEqual({ status: 1, lastLine: "1 passed, 0 failed, 1 skipped" });
    expect(text).toContain("\nSkipped:\n  two\n");
  });

  test("a skip that is allowed by name passes only while the program that it names is missing, or older", () => {
    const named = { some: `${GOOD} describe("terraform", () => test.skip("two", () => {}));` };
    const without = (process.env["PATH"] ?? "")
      .split(delimiter)
      .filter((each) => !existsSync(join(each, "terraform")));
    expect(runTests(named, { ...strict, PATH: without.join(delimiter) }).status).toBe(0);
    const found = { ...strict, PATH: [folder, ...without].join(delimiter) };
    for (const [version, status] of [["1.14.9", 0] as const, ["1.15.0", 1] as const]) {
      const says = `#!/bin/sh\necho Terraform v${version}\n`;
      writeFileSync(join(folder, "terraform"), says, { mode: 0o755 });
      expect(runTests(named, found).status).toBe(status);
    }
  });

  test("elsewhere it passes, and the files with a skipped test are listed, with what passed in them and what was missing", () => {
    const list = join(folder, "skipped");
    const all = {
      some: SKIPPING,
      good: GOOD,
      more: `test.skip("three", () => {}); test.skip("Conftest refuses a plan", () => {});`,
    };
    const { status } = runTests(all, { ERPHOST_SKIPPED_TO: list, PATH: "/usr/bin:/bin" });
    expect(status).toBe(0);
    const lines = readFileSync(list, "utf8").trim().split("\n");
    expect(lines.map((line) => line.replace(/^.*\//, "").split("\t")).sort()).toEqual([
      ["more.test.js", "0", "2", "- conftest"],
      ["some.test.js", "1", "1", "-"],
    ]);
  });
});

test("a run whose name pattern matches no test fails", () => {
  const args = ["--testNamePattern", "another"];
  const { status, lastLine, text } = runTests({ good: GOOD }, {}, ...args);
  expect({ status, lastLine }).toEqual({ status: 1, lastLine: "0 passed, 0 failed, 1 skipped" });
  expect(text).toContain("No test ran");
});

test("a run without a test file fails", () => {
  expect(runTests({}).status).toBe(1);
});

test("what tests leave behind is gone with their run", () => {
  const left = join(folder, "temporary");
  mkdirSync(left);
  const leaving = `const { mkdtempSync } = require("node:fs");
    const { join } = require("node:path");
    test("one", () => {
      const made = mkdtempSync(join(require("node:os").tmpdir(), "cdktf.outdir."));
      require("node:fs").writeFileSync(${JSON.stringify(join(folder, "made"))}, made);
    });`;
  const { status } = runTests(
    { leaving },
    { TMPDIR: left },
    "--globalSetup",
    join(ROOT, "test/support/run.cjs"),
    "--cacheDirectory",
    folder,
  );
  expect(status).toBe(0);
  expect(readFileSync(join(folder, "made"), "utf8").startsWith(left)).toBe(true);
  expect(readdirSync(left)).toEqual([]);
});
