/** The long load, until a number of creates: how long they take is the machine's affair; and what soak refuses. */
import { expect, test } from "@jest/globals";
import { growth } from "../support/memory";
import { soak } from "./load";
import { soakAll } from "./main";

const CREATES = 40;
const OBJECTS = 20;

test("a rate-limited load loses nothing and finds every object, refused calls included", async () => {
  const result = await soak({ until: { creates: CREATES }, objects: OBJECTS, rate: 50 });
  expect(result.failures).toEqual([]);
  expect(result.creates).toBe(CREATES);
  // Each is created, updated and deleted; most are looked for as well.
  expect(result.calls).toBeGreaterThanOrEqual(3 * CREATES);
});

test("a load that is over before it created anything fails", async () => {
  const nothing = soak({ until: { creates: 0 }, objects: OBJECTS, rate: 50 });
  await expect(nothing).rejects.toThrow("over before it created anything");
});

const samples = (...mib: readonly number[]) => mib.map((each, at) => ({ atMs: at, mib: each }));

test("memory that comes down to where it was has not grown, and one that does not has", () => {
  expect(growth(samples(40, 45, 50, 40, 45, 50, 40, 45))).toBe(0);
  expect(growth(samples(40, 45, 50, 42, 47, 52, 44, 49))).toBeGreaterThan(0.5);
  expect(growth(samples(41, 46, 40, 45, 39, 44))).toBeLessThan(0);
});

test.each([
  // Memory needs some minutes before it can be judged.
  [["--minutes=-1"], '--minutes must be a whole number of at least 4, not "-1".'],
  [["--only", "nonsense"], 'There is no part "nonsense". Parts: load'],
])("soak refuses %j", async (words, message) => {
  await expect(soakAll(words)).rejects.toThrow(message);
});
