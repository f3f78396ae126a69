import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const root = join(__dirname, "../..");

test("an edit of an instance's version enters no more functions and files than were counted", () => {
  const output = execFileSync(
    process.execPath,
    ["-r", "ts-node/register", join(root, "test/bench/edit-path.ts")],
    { cwd: root, encoding: "utf8" },
  );
  const [, functions, files] = /enters (\d+) functions in (\d+) files/.exec(output) ?? [];
  // 174 in 44 before the rooms and 168 in 43 after them (commits 5767cf6 and ddbebbd). Since then an
  // edit also logs each call, tries the key before the first, keeps what was left out, and holds what
  // is planned against the rights of the key and what the state holds (scope), and marks the state as
  // its account's, and whose secrets are found by what free fields hold as well.
  expect(Number(functions)).toBeLessThanOrEqual(203);
  expect(Number(files)).toBeLessThanOrEqual(54);
}, 60_000);
