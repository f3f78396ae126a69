/** The long load, for five seconds. */
import { expect, test } from "@jest/globals";
import { soak } from "./load";

test("a rate-limited load loses nothing, finds every object, and is hardly ever refused", async () => {
  const { failures, creates, refusedCount, calls } = await soak({
    ms: 5_000,
    objects: 50,
    rate: 50,
  });
  expect(failures).toEqual([]);
  expect(creates).toBeGreaterThan(10);
  expect(refusedCount).toBeLessThanOrEqual(Math.ceil(calls / 100));
});
