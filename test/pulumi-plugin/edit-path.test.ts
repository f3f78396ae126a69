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
  process.stdout.write(output); // By room, for whoever has to take something out.
  const counted = /enters (\d+) functions in (\d+) files, (\d+) nameless functions, (\d+) getters/;
  const [functions, files, nameless, getters] = (counted.exec(output) ?? []).slice(1).map(Number);
  // They only go down: what an edit needs besides takes the place of something that it enters now.
  expect(functions).toBeLessThanOrEqual(203);
  expect(files).toBeLessThanOrEqual(54);
  expect(nameless).toBeLessThanOrEqual(55);
  expect(getters).toBeLessThanOrEqual(18);
}, 60_000);
