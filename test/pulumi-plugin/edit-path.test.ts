import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const root = join(__dirname, "../..");

test("a create and an edit enter exactly the functions and files that were counted", () => {
  const words = ["-r", "ts-node/register", join(root, "test/bench/edit-path.ts")];
  const output = execFileSync(process.execPath, words, { cwd: root, encoding: "utf8" });
  process.stdout.write(output); // By room, for whoever has to take something out.
  // They only go down: what an operation needs besides takes the place of something that it enters
  // now, and what is taken out is written here at once, so that nobody can spend it later.
  expect(output.match(/^(?:provider\/engine |One ).*$/gm)).toEqual([
    "provider/engine     51 functions in 16 files, 11 nameless functions, 5 getters",
    "One create enters 185 functions in 50 files, 49 nameless functions, 10 getters.",
    "provider/engine     30 functions in 12 files, 5 nameless functions, 3 getters",
    "One edit enters 160 functions in 45 files, 41 nameless functions, 8 getters.",
  ]);
}, 60_000);
