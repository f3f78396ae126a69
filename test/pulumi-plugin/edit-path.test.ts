import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const root = join(__dirname, "../..");

test("an edit of an instance's version enters fewer functions and files than it did before the rooms", () => {
  const output = execFileSync(
    process.execPath,
    ["-r", "ts-node/register", join(root, "test/bench/edit-path.ts")],
    { cwd: root, encoding: "utf8" },
  );
  const [, functions, files] = /enters (\d+) functions in (\d+) files/.exec(output) ?? [];
  // Measured in the same way at commit 5767cf6: 174 functions in 44 files.
  expect(Number(functions)).toBeLessThan(174);
  expect(Number(files)).toBeLessThan(44);
}, 60_000);
