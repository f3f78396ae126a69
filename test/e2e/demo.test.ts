import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const root = join(__dirname, "..", "..");
const demo = (...args: string[]) =>
  spawnSync(process.execPath, ["-r", "ts-node/register", "demo/main.ts", ...args], {
    cwd: root,
    encoding: "utf8",
    timeout: 280_000,
  });

test("the demo fails at the step in which the service fails, and names it", () => {
  const { status, stdout } = demo("--break", "create");
  expect(stdout).toMatch(/✓ preview/);
  expect(stdout).toMatch(/✗ create .*pulumi up failed/);
  expect(stdout).toMatch(/8 steps were not run/);
  expect(status).toBe(1);
});

test("the demo runs the same ten steps with OpenTofu", () => {
  const { status, stdout } = demo("--engine", "tofu");
  const steps = stdout.split("\n").filter((line) => line.startsWith("✓"));
  expect(steps.length).toBe(10);
  expect(stdout).toMatch(/declared with OpenTofu/);
  expect(stdout).toMatch(/✓ destroy .*all deleted except 4 objects that the service cannot delete/);
  expect(status).toBe(0);
});
