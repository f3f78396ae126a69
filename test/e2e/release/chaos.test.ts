/** Claims of the chaos matrix that take engines, or time, and that are not in `npm test`. */
import { mistakenAccount } from "../../chaos/claims/account";
import { killOfTwins } from "../../chaos/claims/after-kills";
import { rateLimitedRefresh, singleFault } from "../../chaos/claims/faults";
import * as kills from "../../chaos/claims/kills";
import { killOfReplacement, rolledBackState } from "../../chaos/claims/lifecycles";
import { lostWithKeys } from "../../chaos/claims/machines/keys";
import * as meanwhile from "../../chaos/claims/machines/meanwhile";
import { hiddenReplacement, lostInReplacement } from "../../chaos/claims/machines/replacements";
import * as steps from "../../chaos/claims/machines/steps";
import * as modes from "../../chaos/claims/modes";
import { killOfRotation } from "../../chaos/claims/rotation";
import { refreshAmongOtherWriters } from "../../chaos/claims/writes";
import { engineFace } from "../../chaos/faces/engine";
import { pulumiDynamic, pulumiPlugin } from "../../chaos/faces/pulumi";
import { terraformFace, tofuFace } from "../../chaos/faces/terraform";
import { defineBrief } from "../../chaos/matrix";

defineBrief([
  [pulumiDynamic, kills.killHostAtRandom, 1, 2],
  [engineFace, killOfTwins, 1, 2],
  [engineFace, killOfReplacement, 1, 2],
  [engineFace, rolledBackState, 1, 2],
  [engineFace, singleFault, 1, 3],
  [engineFace, rateLimitedRefresh, 1, 2],
  [engineFace, refreshAmongOtherWriters, 1, 1],
  [engineFace, mistakenAccount, 1, 20],
  [engineFace, killOfRotation, 1, 1],
  [engineFace, steps.lostTwice, 1, 2],
  [engineFace, lostWithKeys, 1, 1],
  [engineFace, meanwhile.editedMeanwhile, 1, 2],
  [engineFace, meanwhile.movedMeanwhile, 1, 1],
  [engineFace, meanwhile.otherKeyMeanwhile, 1, 2],
  [engineFace, meanwhile.foundNextDay, 1, 2],
  [engineFace, steps.twoMachinesAtOnce, 1, 2],
  [pulumiPlugin, steps.lostAtEachStep, 1, 2],
  [pulumiPlugin, hiddenReplacement, 1, 2],
  [tofuFace, steps.lostAtEachStep, 1, 2],
  [tofuFace, lostInReplacement, 1, 2],
  [terraformFace, modes.interruptInEveryMode, 1, 2],
  [tofuFace, modes.killInEveryMode, 1, 2],
  [tofuFace, modes.stoppedCount, 1, 2],
  [tofuFace, modes.stoppedStackNextToAnother, 1, 2],
  [tofuFace, kills.killHostAfterProvider, 1, 2],
]);
