import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { demo } from "../../demo/main";

const root = join(__dirname, "../..");
const PATH = String(process.env["PATH"]);
let stdout = "";

// A machine without any engine.
beforeEach(() => {
  process.env["PATH"] = __dirname;
  stdout = "";
  jest.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
});
afterEach(() => {
  process.env["PATH"] = PATH;
  jest.restoreAllMocks();
});

test.each([
  [
    ["--engine", "make"],
    "There is no demo for make. Use one of pulumi, tofu, terraform, cdktf, all",
  ],
  [["--break", "nonsense"], "There is no step nonsense. The steps are preview, create"],
  [["--rounds", "2"], "Unknown option '--rounds'"],
])("the demo refuses %j with a sentence", async (args, message) => {
  await expect(demo(args)).rejects.toThrow(message);
  expect(stdout).toBe("");
});

test("the demo's command exits with 2 where it is called wrong, and prints the sentence alone", () => {
  const words = ["-r", "ts-node/register", "demo/main.ts", "--engine", "make"];
  const done = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
  expect(done).toMatchObject({ status: 2, stdout: "" });
  expect(done.stderr).toMatch(/^There is no demo for make\. .*\n$/);
});

test("the demo fails for a named engine that is not on PATH, and names it", async () => {
  expect(await demo(["--engine", "cdktf"])).toBe(1);
  expect(stdout).toContain("Left out: CDKTF, because tofu or terraform is not on PATH.");
  expect(stdout).toContain("1 of 1 engines were left out.");
});

test("the demo of all engines fails where there is none, and counts them", async () => {
  expect(await demo(["--engine", "all"])).toBe(1);
  expect(stdout.match(/^Left out: /gm)).toHaveLength(4);
  expect(stdout).toContain("4 of 4 engines were left out.");
});
