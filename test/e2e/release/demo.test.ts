/** The demo with the engines that CI does not show by itself, and where the service fails. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, jest, test } from "@jest/globals";
import { PLATFORM_STEPS } from "../../../demo/platform/story";

const root = join(__dirname, "../../..");

/** On a busy machine; the test's own limit leaves time to say what came so far. */
const DEMO_MS_MAX = 280_000;
jest.setTimeout(300_000);

const demo = (engine: string, ...more: readonly string[]) => {
  const words = ["-r", "ts-node/register", "demo/main.ts", "--engine", engine, ...more];
  const options = { cwd: root, encoding: "utf8", timeout: DEMO_MS_MAX } as const;
  return spawnSync(process.execPath, words, options);
};

test("the demo runs the same ten steps with OpenTofu", () => {
  const { status, stdout } = demo("tofu");
  const steps = stdout.split("\n").filter((line) => line.startsWith("✓"));
  expect(steps.length).toBe(10);
  expect(stdout).toMatch(/declared with OpenTofu/);
  expect(stdout).toMatch(/✓ destroy .*all deleted except 4 objects that the service cannot delete/);
  expect(status).toBe(0);
});

test("the demo of CDKTF shows a platform: computed keys, an upgrade in waves that a failing canary stops, one backup of each shop a day, and protection", () => {
  const { status, stdout } = demo("cdktf");
  const steps = stdout.split("\n").filter((line) => line.startsWith("✓"));
  expect(steps.map((line) => line.split(" ")[1])).toEqual([...PLATFORM_STEPS]);
  expect(stdout).toMatch(/declared with CDKTF/);
  expect(stdout).toMatch(/✓ upgrade .*in three waves/);
  expect(stdout).toMatch(/✓ canary .*failed on berlin; the other 4 shops still run 18\.0/);
  expect(status).toBe(0);
});

test("the demo fails at the step in which the service fails, and names it", () => {
  const { status, stdout } = demo("tofu", "--break", "create");
  expect(stdout).toMatch(/✓ preview/);
  expect(stdout).toMatch(/✗ create .*tofu apply failed/);
  expect(stdout).toMatch(/8 steps were not run/);
  expect(status).toBe(1);
});
