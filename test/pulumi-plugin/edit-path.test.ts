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
  expect(output.match(/^(?:provider\/(?:engine|resources) |One ).*$/gm)).toEqual([
    "provider/engine     47 functions in 15 files, 9 nameless functions, 5 getters",
    "provider/resources  4 functions in 1 files, 2 nameless functions, 0 getters",
    "One create enters 181 functions in 49 files, 46 nameless functions, 10 getters.",
    "provider/engine     26 functions in 11 files, 3 nameless functions, 3 getters",
    "provider/resources  4 functions in 1 files, 2 nameless functions, 0 getters",
    "One edit enters 155 functions in 44 files, 38 nameless functions, 8 getters.",
  ]);
}, 60_000);
