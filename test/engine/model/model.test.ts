/** A sample of the model; `npm run soak -- --only model` plays all of it. */
import { expect, test } from "@jest/globals";
import { explore } from "./explore";

/** A prime, so that the sample meets every dimension; some 370 scenarios. */
const EVERY = 293;

test("wherever a run is cut off, and whoever comes next, nothing is doubled, taken twice, deleted after its create or left unnamed", async () => {
  const { breaches, scenarios, states, transitions } = await explore({ every: EVERY });
  expect(breaches).toEqual([]);
  expect(scenarios).toBeGreaterThan(100);
  expect(states).toBeGreaterThan(200);
  expect(transitions).toBeGreaterThan(states);
}, 120_000);
