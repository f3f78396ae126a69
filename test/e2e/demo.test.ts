/** Where the service fails. The demo itself is a step of CI, and of test:release with other engines. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const root = join(__dirname, "..", "..");

test("the demo fails at the step in which the service fails, and names it", () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    ["-r", "ts-node/register", "demo/main.ts", "--break", "create"],
    { cwd: root, encoding: "utf8", timeout: 170_000 },
  );
  expect(stdout).toMatch(/✓ preview/);
  expect(stdout).toMatch(/✗ create .*pulumi up failed/);
  expect(stdout).toMatch(/8 steps were not run/);
  expect(status).toBe(1);
});
