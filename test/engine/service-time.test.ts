/** How long an answer is certainly replayed. */
import { expect, test } from "@jest/globals";
import { isReplayable } from "../../provider/engine";

const HOUR_MS = 3_600_000;
const contract = { idempotencyWindowMs: 24 * HOUR_MS };

test.each([
  ["a request of this moment", 0, true],
  ["one of an hour ago", HOUR_MS, true],
  ["one at the end of the window", 24 * HOUR_MS, false],
  ["one of the future, because a clock was put back", -1, false],
])("an answer is replayed only while that is certain: %s", (_, ageMs, certain) => {
  expect(isReplayable(contract, ageMs)).toBe(certain);
});
