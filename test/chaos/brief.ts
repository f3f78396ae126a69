/** Claims of the chaos matrix as tests of their own, tried briefly with a fixed seed. */
import { expect, test } from "@jest/globals";
import type { Face } from "./faces/face";
import { obstacle, Trial, type Claim } from "./trial";

const SEED = 4;

/** A claim on a face. @param one the case that is tried, by default all of them */
export type BriefCell = readonly [
  face: Face,
  claim: Claim,
  trials: number,
  size: number,
  one?: string,
];

/** Defines a test for each; one whose face is not here is skipped. */
export function defineBrief(cells: readonly BriefCell[]): void {
  for (const [face, claim, trials, size, one] of cells) {
    const isPossible = obstacle(claim, face) === undefined;
    (isPossible ? test : test.skip)(`${claim.name} (${face.name})`, async () => {
      const options = { seed: SEED, trials, size, case: one };
      expect(await claim.run(new Trial(face, options))).not.toBe("");
    });
  }
}
