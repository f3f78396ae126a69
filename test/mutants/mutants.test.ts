/**
 * Three of the committed mutants; `npm run mutants` tries them all; and what is read of
 * StrykerJS's report.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { hunt } from "./hunt";
import { readMutants } from "./mutant";
import { strykerResult } from "./stryker";

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
  const [, ...files] = patch.split(/^--- a\//m);
  return files.flatMap((part) => {
    const [path = ""] = part.split("\n");
    const text = `\n${readFileSync(join(ROOT, path), "utf8")}`;
    const [, ...places] = part.split(/^@@ .*$/m);
    const before = places.map((place) =>
      place.split("\n").flatMap((line) => (/^[ -]/.test(line) ? [line.slice(1)] : [])),
    );
    const wanted = before.map((lines) => `\n${lines.join("\n")}\n`);
    return wanted.filter((lines) => !text.includes(lines));
  });
}

test.each(mutants)("the patch $name applies to the code as it is", ({ patch }) => {
  expect(missingIn(patch)).toEqual([]);
});

test("unit tests notice each of three broken promises", async () => {
  const chosen = mutants.filter(({ name }) => THREE.includes(name));
  const hunted = await hunt(chosen, { root: ROOT, env: process.env, jobs: 1 });

  const left = hunted.filter(({ outcome }) => outcome.state !== "killed");

  expect(chosen.map(({ name }) => name)).toEqual(THREE);
  expect(left).toEqual([]);
}, 300_000);

const ofStryker = (status: string) => ({
  status,
  mutatorName: "BooleanLiteral",
  replacement: "false",
  location: { start: { line: 7 } },
});

test("the score counts what no test runs as unnoticed, and leaves out what is not tried", () => {
  const statuses = ["Killed", "Killed", "Timeout", "Survived", "NoCoverage", "Ignored"];
  const others = { mutants: [ofStryker("Killed")] };
  const files = { "provider/a/b.ts": { mutants: statuses.map(ofStryker) }, "c/d/e.ts": others };

  const result = strykerResult({ files });

  expect(result).toMatchObject({ mutants: 6, detected: 4, undetected: 2, score: 66.7 });
  expect(result.rooms.get("provider/a")).toEqual({ mutants: 5, score: 60 });
  expect(result.survivors[0]).toBe("provider/a/b.ts:7 BooleanLiteral: false");
});

test("a report in which nothing was tried is an error", () => {
  const files = { "a.ts": { mutants: [ofStryker("Ignored")] } };

  expect(() => strykerResult({ files })).toThrow("StrykerJS tried no mutant.");
});
