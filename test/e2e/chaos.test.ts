/**
 * Claims of the chaos matrix. `npm test` tries some of them briefly with a fixed seed;
 * `npm run chaos` names the claims and faces in `ERPHOST_CHAOS`.
 */
import { describe, expect, test } from "@jest/globals";
import { mistakenAccount } from "../chaos/claims/account";
import { killNextToAnotherStack, killOfTwins } from "../chaos/claims/after-kills";
import { singleFault } from "../chaos/claims/faults";
import * as kills from "../chaos/claims/kills";
import { killOfReplacement, rolledBackState } from "../chaos/claims/lifecycles";
import { rateLimitedRefresh, rateOfOneProcess } from "../chaos/claims/limits";
import { lostWithKeys } from "../chaos/claims/machines/keys";
import * as meanwhile from "../chaos/claims/machines/meanwhile";
import { lostInReplacement } from "../chaos/claims/machines/replacements";
import { lostAtEachStep, lostTwice } from "../chaos/claims/machines/steps";
import { twoMachinesAtOnce } from "../chaos/claims/machines/two";
import * as modes from "../chaos/claims/modes";
import { killOfRotation } from "../chaos/claims/rotation";
import { noSecretWritten } from "../chaos/claims/secrets";
import { naiveRefreshFails, refreshAmongOtherWriters } from "../chaos/claims/writes";
import { engineFace } from "../chaos/faces/engine";
import type { Face } from "../chaos/faces/face";
import { pulumiDynamic, pulumiPlugin } from "../chaos/faces/pulumi";
import { terraformFace, tofuFace } from "../chaos/faces/terraform";
import { defineMatrix } from "../chaos/matrix";
import type { ChaosOptions } from "../chaos/options";
import { obstacle, Trial, type Claim } from "../chaos/trial";

const SEED = 4;

type Cell = readonly [face: Face, claim: Claim, trials: number, size: number, one?: string];

/** Every face is in it, and every group of claims; `npm run chaos` tries the other pairs. */
const brief: readonly Cell[] = [
  [engineFace, kills.killAtEachStep, 1, 2],
  [terraformFace, kills.killAtEachStep, 1, 2, "answer lost; no tokens"],
  [tofuFace, kills.killAtEachStep, 1, 2, "request on the wire; tokens"],
  [pulumiDynamic, kills.killAtEachStep, 1, 2, "answer on disk, unknown to the host; a scope"],
  [pulumiPlugin, kills.killAtEachStep, 1, 2, "answer lost; no tokens"],
  [pulumiDynamic, kills.killHostAtRandom, 1, 2],
  [pulumiPlugin, kills.killHostAtRandom, 1, 2],
  [engineFace, kills.killAtRandom, 1, 4],
  [engineFace, killOfTwins, 1, 2],
  [engineFace, killNextToAnotherStack, 1, 1],
  [engineFace, killOfReplacement, 1, 2],
  [engineFace, rolledBackState, 1, 2],
  [engineFace, singleFault, 1, 3],
  [engineFace, refreshAmongOtherWriters, 1, 1],
  [engineFace, naiveRefreshFails, 2, 1],
  [engineFace, mistakenAccount, 1, 20],
  [engineFace, rateOfOneProcess, 1, 1],
  [engineFace, rateLimitedRefresh, 1, 2],
  [engineFace, killOfRotation, 1, 1],
  [engineFace, noSecretWritten, 1, 1],
  [engineFace, lostAtEachStep, 1, 2],
  [engineFace, lostTwice, 1, 2],
  [engineFace, lostWithKeys, 1, 1],
  [engineFace, meanwhile.editedMeanwhile, 1, 2],
  [engineFace, meanwhile.movedMeanwhile, 1, 1],
  [engineFace, meanwhile.otherKeyMeanwhile, 1, 2],
  [engineFace, meanwhile.foundNextDay, 1, 2],
  [engineFace, twoMachinesAtOnce, 1, 2],
  [tofuFace, lostInReplacement, 1, 2],
  [terraformFace, modes.interruptInEveryMode, 1, 2],
  [tofuFace, modes.killInEveryMode, 1, 2],
  [tofuFace, modes.stoppedCount, 1, 2],
  [tofuFace, modes.stoppedStackNextToAnother, 1, 2],
  [tofuFace, kills.killHostAfterProvider, 1, 2],
];

const asked = process.env["ERPHOST_CHAOS"];

// Written by test/chaos/main.ts, which checks the options.
if (asked !== undefined) describe("chaos", () => defineMatrix(JSON.parse(asked) as ChaosOptions));
else {
  for (const [face, claim, trials, size, one] of brief) {
    const isPossible = obstacle(claim, face) === undefined;
    (isPossible ? test : test.skip)(`${claim.name} (${face.name})`, async () => {
      const options = { seed: SEED, trials, size, case: one };
      expect(await claim.run(new Trial(face, options))).not.toBe("");
    });
  }
}
