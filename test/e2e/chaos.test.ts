/** Claims of the chaos matrix: some, with a fixed seed, or those that `npm run chaos` names. */
import { describe } from "@jest/globals";
import * as kills from "../chaos/claims/kills";
import { lostAtEachStep } from "../chaos/claims/machines/steps";
import { noSecretWritten } from "../chaos/claims/secrets";
import { pulumiDynamic, pulumiPlugin } from "../chaos/faces/pulumi";
import { tofuFace } from "../chaos/faces/terraform";
import { defineBrief, defineMatrix } from "../chaos/matrix";
import type { ChaosOptions } from "../chaos/options";

const asked = process.env["ERPHOST_CHAOS"];

// Written by test/chaos/main.ts, which checks the options.
if (asked !== undefined) describe("chaos", () => defineMatrix(JSON.parse(asked) as ChaosOptions));
// The walks of guides.test.ts kill runs of Terraform and of the plugin, test/engine has what the
// engine decides, test/e2e/release/chaos.test.ts what takes longer, and `npm run chaos` all.
else {
  defineBrief([
    [tofuFace, kills.killAtEachStep, 1, 2, "tokens"],
    [pulumiDynamic, kills.killAtEachStep, 1, 2, "answer on disk, unknown to the host; a scope"],
    [pulumiPlugin, kills.killHostAtRandom, 1, 2],
    [tofuFace, noSecretWritten, 1, 1],
    [tofuFace, lostAtEachStep, 1, 2],
  ]);
}
