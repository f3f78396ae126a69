import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ROOT } from "./support/run";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "erphost-reporter-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs jest over the given test files with the reporters of this checkout. */
function runTests(
  files: Readonly<Record<string, string>>,
  {
    args = [],
    env = {},
  }: { readonly args?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
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

describe("the last line of a test run", () => {
  test("the last line of a test run counts what passed, failed and was skipped, and skipped tests are named", () => {
    const { status, text, lastLine } = runTests({
      "some.test.js": `
        test("one", () => {});
        test("two", () => { throw new Error("no"); });
        describe("group", () => test.skip("three", () => {}));
        test.todo("four");`,
    });
    expect(lastLine).toBe("1 passed, 1 failed, 2 skipped");
    expect(text).toContain("\nSkipped:\n  group three\n  four\n");
    expect(status).toBe(1);
  });

  test("the last line of a test run does not mention skipped tests where there are none", () => {
    const { status, lastLine } = runTests({ "good.test.js": `test("one", () => {});` });
    expect({ status, lastLine }).toEqual({ status: 0, lastLine: "1 passed, 0 failed" });
  });

  test("a test file that does not load counts as a failure", () => {
    const { status, lastLine } = runTests({
      "good.test.js": `test("one", () => {});`,
      "bad.test.js": `throw new Error("no");`,
    });
    expect({ status, lastLine }).toEqual({ status: 1, lastLine: "1 passed, 1 failed" });
  });
});

describe("runs that skip a test", () => {
  const files = { "some.test.js": `test("one", () => {}); test.skip("two", () => {});` };
  test("a run that skips a test fails where everything that tests need is there", () => {
    const { status, lastLine, text } = runTests(files, { env: { ERPHOST_SKIPS: "refused" } });
    expect({ status, lastLine }).toEqual({ status: 1, lastLine: "1 passed, 0 failed, 1 skipped" });
    expect(text).toContain("\nSkipped:\n  two\n");
  });

  test("a run that skips a test passes elsewhere", () => {
    expect(runTests(files).status).toBe(0);
  });

  test("a skip that is allowed by name passes only while the program that it names is missing", () => {
    const named = {
      "some.test.js": `test("one", () => {}); describe("terraform", () => test.skip("two", () => {}));`,
    };
    const strict = { ERPHOST_SKIPS: "refused" };
    const program = join(folder, "terraform");
    const without = (process.env["PATH"] ?? "")
      .split(delimiter)
      .filter((each) => !existsSync(join(each, "terraform")));
    expect(runTests(named, { env: { ...strict, PATH: without.join(delimiter) } }).status).toBe(0);
    writeFileSync(program, "", { mode: 0o755 });
    const found = [folder, ...without].join(delimiter);
    expect(runTests(named, { env: { ...strict, PATH: found } }).status).toBe(1);
  });

  test("the files with a skipped test are listed, with what passed in them and what was missing", () => {
    const list = join(folder, "skipped");
    const all = {
      ...files,
      "good.test.js": `test("one", () => {});`,
      "more.test.js": `test.skip("three", () => {}); test.skip("Conftest refuses a plan", () => {});`,
    };
    runTests(all, { env: { ERPHOST_SKIPPED_TO: list, PATH: "/usr/bin:/bin" } });
    const lines = readFileSync(list, "utf8").trim().split("\n");
    const listed = lines.map((line) => line.replace(/^.*\//, "").split("\t"));
    expect(listed.sort()).toEqual([
      ["more.test.js", "0", "2", "- conftest"],
      ["some.test.js", "1", "1", "-"],
    ]);
  });
});

describe("runs without a test", () => {
  test("a run whose name pattern matches no test fails", () => {
    const files = { "good.test.js": `test("one", () => {});` };
    const { status, lastLine, text } = runTests(files, { args: ["--testNamePattern", "another"] });
    expect({ status, lastLine }).toEqual({ status: 1, lastLine: "0 passed, 0 failed, 1 skipped" });
    expect(text).toContain("No test ran");
  });

  test("a run without a test file fails", () => {
    expect(runTests({}).status).toBe(1);
  });
});
