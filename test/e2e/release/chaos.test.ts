/** Claims of the chaos matrix that take engines, or time, and that are not in `npm test`. */
import { mistakenAccount } from "../../chaos/claims/account";
import { rateLimitedRefresh, singleFault } from "../../chaos/claims/faults";
import * as kills from "../../chaos/claims/kills";
import { hiddenReplacement, lostInReplacement } from "../../chaos/claims/machines/replacements";
import * as steps from "../../chaos/claims/machines/steps";
import * as modes from "../../chaos/claims/modes";
import { killOfRotation } from "../../chaos/claims/rotation";
import { pulumiDynamic, pulumiPlugin } from "../../chaos/faces/pulumi";
import { terraformFace, tofuFace } from "../../chaos/faces/terraform";
import { defineBrief } from "../../chaos/matrix";

defineBrief([
  [pulumiDynamic, kills.killHostAtRandom, 1, 2],
  [tofuFace, kills.killAtRandom, 1, 4],
  [tofuFace, kills.killOfReplacement, 1, 2],
  [tofuFace, kills.killOfDestroy, 1, 2],
  [tofuFace, singleFault, 1, 3],
  [tofuFace, rateLimitedRefresh, 1, 2],
  [tofuFace, mistakenAccount, 1, 20],
  [tofuFace, killOfRotation, 1, 1],
  [pulumiPlugin, steps.lostAtEachStep, 1, 2],
  [tofuFace, steps.editedMeanwhile, 1, 2],
  [tofuFace, steps.otherKeyMeanwhile, 1, 2],
  [tofuFace, steps.foundNextDay, 1, 2],
  [tofuFace, steps.twoMachinesAtOnce, 1, 2],
  [pulumiPlugin, hiddenReplacement, 1, 2],
  [tofuFace, lostInReplacement, 1, 2],
  [terraformFace, modes.interruptInEveryMode, 1, 2],
  [tofuFace, modes.killInEveryMode, 1, 2],
  [tofuFace, modes.stoppedCount, 1, 2],
  [tofuFace, modes.stoppedStackNextToAnother, 1, 2],
  [tofuFace, kills.killHostAfterProvider, 1, 2],
]);
