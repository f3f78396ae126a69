/** Three of the committed mutants; `npm run mutants` tries them all. */
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { hunt } from "./hunt";
import { readMutants } from "./mutant";

const ROOT = join(__dirname, "..", "..");

/** Their tests are quick. */
const THREE = [
  "contract/profile-climbs",
  "engine/intent-file-not-flushed",
  "terraform/api-key-not-sensitive",
];

const mutants = readMutants(ROOT);

test("at least 60 promises of the product are broken by a committed mutant each", () => {
  expect(mutants.length).toBeGreaterThanOrEqual(60);
});

test.each(mutants)("the patch $name applies to the code as it is", ({ file }) => {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(ROOT) };

  const check = () => execFileSync("git", ["apply", "--check", file], { cwd: ROOT, env });

  expect(check).not.toThrow();
});

test("unit tests notice each of three broken promises", async () => {
  const chosen = mutants.filter(({ name }) => THREE.includes(name));
  const hunted = await hunt(chosen, { root: ROOT, env: process.env, jobs: 1 });

  const left = hunted.filter(({ outcome }) => outcome.state !== "killed");

  expect(chosen.map(({ name }) => name)).toEqual(THREE);
  expect(left).toEqual([]);
}, 300_000);
