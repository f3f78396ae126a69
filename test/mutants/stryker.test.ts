/** What is read of StrykerJS's report. */
import { expect, test } from "@jest/globals";
import { strykerResult } from "./stryker";

const mutant = (status: string) => ({
  status,
  mutatorName: "BooleanLiteral",
  replacement: "false",
  location: { start: { line: 7 } },
});

test("the score counts what no test runs as unnoticed, and leaves out what is not tried", () => {
  const statuses = ["Killed", "Killed", "Timeout", "Survived", "NoCoverage", "Ignored"];
  const files = { "a.ts": { mutants: statuses.map(mutant) } };

  const result = strykerResult({ files });

  expect(result).toMatchObject({ mutants: 5, detected: 3, undetected: 2, score: 60 });
  expect(result.survivors[0]).toBe("a.ts:7 BooleanLiteral: false");
});

test("a report in which nothing was tried is an error", () => {
  const files = { "a.ts": { mutants: [mutant("Ignored")] } };

  expect(() => strykerResult({ files })).toThrow("StrykerJS tried no mutant.");
});
