/** A short form of `npm run chaos`, with a fixed seed. */
import { expect, it } from "@jest/globals";
import { engineFace } from "../chaos/faces/engine";
import { pulumiDynamic, pulumiPlugin } from "../chaos/faces/pulumi";
import { terraformFace, tofuFace } from "../chaos/faces/terraform";
import { runChaos } from "../chaos/run";
import type { Face } from "../chaos/faces/face";

const SEED = 4;

async function expectHolds(face: Face, claim: string, trials: number, size: number): Promise<void> {
  const cells = await runChaos({ faces: [face], claims: [claim], seed: SEED, trials, size });
  expect(cells).toHaveLength(1);
  for (const { outcome, failures } of cells) {
    expect({ outcome, failures }).toEqual({ outcome: "holds", failures: [] });
  }
}

it.each([
  ["kill of all, at each step", 1, 2],
  ["kill of all, at random", 5, 4],
  ["kill of twins", 1, 2],
  ["kill beside another stack", 1, 1],
  ["kill of a replacement", 1, 2],
  ["a state rolled back by one version", 1, 2],
  ["each fault alone on each kind of call", 8, 3],
  ["refreshes while others write", 1, 1],
  ["the same with the naive order fails", 2, 1],
  ["wrong account, narrow key, empty list", 1, 20],
  ["the rate that windows allow", 1, 1],
  ["a 429 in a refresh", 1, 2],
  ["kill of a rotation", 1, 1],
  ["secrets in all that was written", 1, 1],
])("on the engine: %s", async (claim, trials, size) => {
  await expectHolds(engineFace, claim, trials, size);
});

it("on Pulumi's dynamic resources: a kill of Pulumi alone, at a random moment", async () => {
  await expectHolds(pulumiDynamic, "kill of the host, at random", 1, 2);
});

const cells: readonly [face: Face, claim: string, trials: number][] = [
  [pulumiPlugin, "kill of the host, at random", 1],
  [terraformFace, "Ctrl-C in every manner of a run", 2],
  [terraformFace, "kill in every manner of a run", 1],
  [tofuFace, "Ctrl-C in every manner of a run", 2],
  [tofuFace, "kill in every manner of a run", 1],
  [tofuFace, "twins by number, struck", 1],
  [tofuFace, "two stacks with the same tokens, one struck or ended", 2],
  [tofuFace, "kill of the host, once its provider has ended", 1],
];

for (const [face, claim, trials] of cells) {
  (face.missing() === undefined ? it : it.skip)(`on ${face.name}: ${claim}`, async () => {
    await expectHolds(face, claim, trials, 2);
  });
}
