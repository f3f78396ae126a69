/** Claims of the chaos matrix that take engines, or time, and that are not in `npm test`. */
import { defineBrief } from "../../chaos/brief";
import { killNextToAnotherStack } from "../../chaos/claims/after-kills";
import * as kills from "../../chaos/claims/kills";
import { rateOfOneProcess } from "../../chaos/claims/limits";
import { lostInReplacement } from "../../chaos/claims/machines/replacements";
import { twoMachinesAtOnce } from "../../chaos/claims/machines/two";
import * as modes from "../../chaos/claims/modes";
import { naiveRefreshFails } from "../../chaos/claims/writes";
import { engineFace } from "../../chaos/faces/engine";
import { pulumiDynamic } from "../../chaos/faces/pulumi";
import { terraformFace, tofuFace } from "../../chaos/faces/terraform";

defineBrief([
  [pulumiDynamic, kills.killHostAtRandom, 1, 2],
  [engineFace, killNextToAnotherStack, 1, 1],
  [engineFace, naiveRefreshFails, 2, 1],
  [engineFace, rateOfOneProcess, 1, 1],
  [engineFace, twoMachinesAtOnce, 1, 2],
  [tofuFace, lostInReplacement, 1, 2],
  [terraformFace, modes.interruptInEveryMode, 1, 2],
  [tofuFace, modes.killInEveryMode, 1, 2],
  [tofuFace, modes.stoppedCount, 1, 2],
  [tofuFace, modes.stoppedStackNextToAnother, 1, 2],
  [tofuFace, kills.killHostAfterProvider, 1, 2],
]);
