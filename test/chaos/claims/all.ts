/** Every claim, in the order of the report. */
import type { Claim } from "../trial";
import { mistakenAccount } from "./account";
import * as afterKills from "./after-kills";
import { faultOnEveryTenthCall, singleFault } from "./faults";
import { followedGuides } from "./guides";
import * as kills from "./kills";
import * as lifecycles from "./lifecycles";
import * as limits from "./limits";
import * as modes from "./modes";
import { lostWithKeys } from "./machines/keys";
import * as meanwhile from "./machines/meanwhile";
import * as replacements from "./machines/replacements";
import * as steps from "./machines/steps";
import { twoMachinesAtOnce } from "./machines/two";
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
  ...[steps.lostAtEachStep, steps.lostAtRandom, steps.lostTwice, lostWithKeys],
  ...[meanwhile.editedMeanwhile, meanwhile.movedMeanwhile, meanwhile.otherKeyMeanwhile],
  ...[meanwhile.foundNextDay, twoMachinesAtOnce, replacements.lostWhenMadeAgain],
  ...[replacements.lostInReplacement, replacements.hiddenReplacement],
  ...[modes.interruptInEveryMode, modes.killInEveryMode],
  ...[modes.stoppedCount, modes.stoppedStackNextToAnother],
  ...[writes.refreshAmongOtherWriters, writes.refreshRightAfterUp, writes.naiveRefreshFails],
  mistakenAccount,
  ...[limits.rateOfOneProcess, limits.rateOfTwoProcesses, limits.rateLimitedRefresh],
  killOfRotation,
  ...[noSecretWritten, followedGuides],
];
