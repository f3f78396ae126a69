/** Where the service fails. The demo itself is a step of CI, and of test:release with other engines. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, jest, test } from "@jest/globals";

const root = join(__dirname, "..", "..");

/** On a busy machine; the test's own limit leaves time to say what came so far. */
const DEMO_MS_MAX = 280_000;
jest.setTimeout(300_000);

test("the demo fails at the step in which the service fails, and names it", () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    ["-r", "ts-node/register", "demo/main.ts", "--engine", "tofu", "--break", "create"],
    { cwd: root, encoding: "utf8", timeout: DEMO_MS_MAX },
  );
  expect(stdout).toMatch(/✓ preview/);
  expect(stdout).toMatch(/✗ create .*tofu apply failed/);
  expect(stdout).toMatch(/8 steps were not run/);
  expect(status).toBe(1);
});
