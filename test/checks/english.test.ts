import { expect, test } from "@jest/globals";
import { calques } from "../../scripts/check/english";

const found = (text: string): number => calques([{ path: "docs/a.md", text }]).length;

test.each([
  "The id is no address.",
  "The answer has not the two keys.",
  "The object is made anew.",
  "The run goes on.",
  "so many calls",
  "The user is told.",
  "an intent beside the state",
  "It is retained and lives on.",
  "It is wanted otherwise now.",
  "The run ended in order.",
  "A instance named erp exists",
  "Allows to rotate the key.",
  "It is retained, for the service has no delete.",
  "It can't be had.",
  "Too small: expected string",
  "Assumed: the contract does not show this field.",
])("the phrase in %j is refused", (text) => {
  expect(found(text)).toBeGreaterThan(0);
});

test.each([
  "There is no such object.",
  "The key is no longer valid.",
  "The answer is not a list.",
  "Everything is in order of creation.",
  "Go on to the next page, and wait for the service.",
  "An instance and an API key exist.",
])("plain English passes: %j", (text) => {
  expect(found(text)).toBe(0);
});

test("a finding names the file, the line and what to write instead", () => {
  expect(calques([{ path: "cli/a.ts", text: "// One.\n// It is told.\n" }])).toEqual([
    'cli/a.ts:2 "told": write "reported", "shown" or "given".',
  ]);
});
