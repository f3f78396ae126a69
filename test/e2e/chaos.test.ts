/** Claims of the chaos matrix: some, with a fixed seed, or those that `npm run chaos` names. */
import { describe } from "@jest/globals";
import { defineBrief, type BriefCell } from "../chaos/brief";
import { mistakenAccount } from "../chaos/claims/account";
import { killOfTwins } from "../chaos/claims/after-kills";
import { singleFault } from "../chaos/claims/faults";
import * as kills from "../chaos/claims/kills";
import { killOfReplacement, rolledBackState } from "../chaos/claims/lifecycles";
import { rateLimitedRefresh } from "../chaos/claims/limits";
import { lostWithKeys } from "../chaos/claims/machines/keys";
import * as meanwhile from "../chaos/claims/machines/meanwhile";
import { lostAtEachStep, lostTwice } from "../chaos/claims/machines/steps";
import { killOfRotation } from "../chaos/claims/rotation";
import { noSecretWritten } from "../chaos/claims/secrets";
import { refreshAmongOtherWriters } from "../chaos/claims/writes";
import { engineFace } from "../chaos/faces/engine";
import { pulumiDynamic, pulumiPlugin } from "../chaos/faces/pulumi";
import { tofuFace } from "../chaos/faces/terraform";
import { defineMatrix } from "../chaos/matrix";
import type { ChaosOptions } from "../chaos/options";

/** The walks of guides.test.ts kill runs of Terraform and of the plugin; test/e2e/release/chaos.test.ts has what takes longer, `npm run chaos` all. */
const brief: readonly BriefCell[] = [
  [engineFace, kills.killAtEachStep, 1, 2],
  [tofuFace, kills.killAtEachStep, 1, 2, "request on the wire; tokens"],
  [pulumiDynamic, kills.killAtEachStep, 1, 2, "answer on disk, unknown to the host; a scope"],
  [pulumiPlugin, kills.killHostAtRandom, 1, 2],
  [engineFace, kills.killAtRandom, 1, 4],
  [engineFace, killOfTwins, 1, 2],
  [engineFace, killOfReplacement, 1, 2],
  [engineFace, rolledBackState, 1, 2],
  [engineFace, singleFault, 1, 3],
  [engineFace, refreshAmongOtherWriters, 1, 1],
  [engineFace, mistakenAccount, 1, 20],
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
];

const asked = process.env["ERPHOST_CHAOS"];

// Written by test/chaos/main.ts, which checks the options.
if (asked !== undefined) describe("chaos", () => defineMatrix(JSON.parse(asked) as ChaosOptions));
else defineBrief(brief);
