/** What `npm run demo` refuses, and what it says of engines that are not there. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const root = join(__dirname, "../..");

/** The demo on a machine without any engine. */
const demo = (...args: readonly string[]) =>
  spawnSync(process.execPath, ["-r", "ts-node/register", "demo/main.ts", ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, PATH: join(root, "test/demo") },
  });

test.each([
  [
    ["--engine", "make"],
    "There is no demo for make. Use one of pulumi, tofu, terraform, cdktf, all.",
  ],
  [["--break", "nonsense"], "There is no step nonsense. The steps are preview, create"],
  [["--rounds", "2"], "Unknown option '--rounds'"],
])("the demo refuses %j with a sentence", (args, message) => {
  const { status, stderr, stdout } = demo(...args);
  expect(stderr).toContain(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});

test("the demo fails for a named engine that is not on PATH, and names it", () => {
  const { status, stdout } = demo("--engine", "cdktf");
  expect(stdout).toContain("Left out: CDKTF, because tofu or terraform is not on PATH.");
  expect(stdout).toContain("1 of 1 engines were left out.");
  expect(status).toBe(1);
});

test("the demo of all engines fails where there is none, and counts them", () => {
  const { status, stdout } = demo("--engine", "all");
  expect(stdout.match(/^Left out: /gm)).toHaveLength(4);
  expect(stdout).toContain("4 of 4 engines were left out.");
  expect(status).toBe(1);
});
