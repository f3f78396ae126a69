/** The long load, for five seconds. */
import { expect, it } from "@jest/globals";
import { soak } from "./load";

it("a load under limits loses nothing, finds what lives, and is hardly ever refused", async () => {
  const soaked = await soak({ ms: 5_000, objects: 50, rate: 50 });
  expect(soaked.failures).toEqual([]);
  // How many there are is the machine's affair.
  expect(soaked.creates).toBeGreaterThan(10);
  expect(soaked.refusedCount).toBeLessThanOrEqual(Math.ceil(soaked.calls / 100));
});
