/** Every claim, in the order of the report. */
import type { Claim } from "../trial";
import { mistakenAccount } from "./account";
import * as afterKills from "./after-kills";
import { faultOnEveryTenthCall, singleFault } from "./faults";
import * as kills from "./kills";
import * as lifecycles from "./lifecycles";
import * as limits from "./limits";
import * as modes from "./modes";
import { killOfRotation } from "./rotation";
import { noSecretWritten } from "./secrets";
import * as writes from "./writes";

export const claims: readonly Claim[] = [
  ...[faultOnEveryTenthCall, singleFault],
  ...[kills.killAtEachStep, kills.killProviderAtEachStep, kills.killHostAtEachStep],
  ...[kills.killAtRandom, kills.killProviderAtRandom, kills.killHostAtRandom],
  kills.killHostAfterProvider,
  ...[afterKills.killDuringRecovery, afterKills.editAfterKill, afterKills.moveAfterKill],
  ...[afterKills.killOfTwins, afterKills.killNextToAnotherStack, afterKills.recoveryNextDay],
  ...[lifecycles.killOfReplacement, lifecycles.createAfterKilledDestroy],
  ...[lifecycles.declaredAgainAfterKill, lifecycles.rolledBackState],
  ...[modes.interruptInEveryMode, modes.killInEveryMode],
  ...[modes.stoppedCount, modes.stoppedStackNextToAnother],
  ...[writes.refreshAmongOtherWriters, writes.refreshRightAfterUp, writes.naiveRefreshFails],
  mistakenAccount,
  ...[limits.rateOfOneProcess, limits.rateOfTwoProcesses, limits.rateLimitedRefresh],
  killOfRotation,
  noSecretWritten,
];
