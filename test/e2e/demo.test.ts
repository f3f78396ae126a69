import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "@jest/globals";

const root = join(__dirname, "..", "..");
const demo = (...args: string[]) =>
  spawnSync(process.execPath, ["-r", "ts-node/register", "scripts/demo/main.ts", ...args], {
    cwd: root,
    encoding: "utf8",
    timeout: 150_000,
  });

it("the demo fails, and says where, when the service fails during a step", () => {
  const { status, stdout } = demo("--break", "create");
  expect(stdout).toMatch(/✓ preview/);
  expect(stdout).toMatch(/✗ create .*pulumi up failed/);
  expect(stdout).toMatch(/8 steps were not tried/);
  expect(status).toBe(1);
});

it("the demo refuses a step that there is not", () => {
  const { status, stderr } = demo("--break", "nonsense");
  expect(stderr).toMatch(/There is no step nonsense\. The steps are preview, create/);
  expect(status).toBe(1);
});
