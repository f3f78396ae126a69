/** Three of the committed mutants; `npm run mutants` tries them all. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
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

/** The lines that a patch looks for, of each place that it changes, as git looks for them. */
function missingIn(patch: string): readonly string[] {
  const [, ...files] = patch.split(/^diff --git /m);
  return files.flatMap((part) => {
    const [, path = ""] = /^--- a\/(.+)$/m.exec(part) ?? [];
    const text = `\n${readFileSync(join(ROOT, path), "utf8")}`;
    const [, ...places] = part.split(/^@@ .*$/m);
    const before = places.map((place) =>
      place.split("\n").flatMap((line) => (/^[ -]/.test(line) ? [line.slice(1)] : [])),
    );
    const wanted = before.map((lines) => `\n${lines.join("\n")}\n`);
    return wanted.filter((lines) => !text.includes(lines));
  });
}

test.each(mutants)("the patch $name applies to the code as it is", ({ file }) => {
  expect(missingIn(readFileSync(file, "utf8"))).toEqual([]);
});

test("unit tests notice each of three broken promises", async () => {
  const chosen = mutants.filter(({ name }) => THREE.includes(name));
  const hunted = await hunt(chosen, { root: ROOT, env: process.env, jobs: 1 });

  const left = hunted.filter(({ outcome }) => outcome.state !== "killed");

  expect(chosen.map(({ name }) => name)).toEqual(THREE);
  expect(left).toEqual([]);
}, 300_000);
