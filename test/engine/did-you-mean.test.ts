/** What is guessed where a name is unknown: a near one, and otherwise none. */
import { expect, test } from "@jest/globals";
import { nearest } from "../../provider/engine/planning/did-you-mean";

const KNOWN = ["region", "size", "provider_id"];

test.each([
  ["regoin", "region"],
  ["regio", "region"],
  ["regions", "region"],
  ["xregion", "region"],
  ["syze", "size"],
  ["provider_i", "provider_id"],
  ["providerrr_ids", "provider_id"],
  ["REGION", undefined],
  ["colour", undefined],
  ["", undefined],
  ["an_entirely_different_name", undefined],
])("instead of %p, %p was meant", (name, meant) => {
  expect(nearest(name, KNOWN)).toBe(meant);
});

test("nothing is guessed where nothing is known", () => {
  expect(nearest("region", [])).toBeUndefined();
});
