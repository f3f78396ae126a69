/**
 * `npm run demo`: a whole ERP installation declared, changed, drifted, rotated and destroyed by real
 * engines on the emulator. Every step states what it expects and fails if that is not the case.
 */
import { parseArgs } from "node:util";
import { openCdktf } from "./cdktf";
import type { Open } from "./installation";
import { openPulumi } from "./pulumi";
import { runSteps } from "./steps";
import { tellStory } from "./story";
import { openTerraform } from "./terraform";

/** By the value of `--engine`, with the name that the vendor uses. */
const engines: Readonly<Record<string, readonly [name: string, open: Open]>> = {
  pulumi: ["Pulumi", openPulumi],
  tofu: ["OpenTofu", openTerraform("tofu")],
  terraform: ["Terraform", openTerraform("terraform")],
  cdktf: ["CDKTF", openCdktf],
};

const usage = `Usage: npm run demo -- [--engine NAME] [--break STEP] [--verbose]

  --engine NAME   the engine to use: pulumi (default), tofu, terraform,
                  cdktf (with tofu or terraform), or all
  --break STEP    makes the service fail during that step, to show that the demo notices
  --verbose       prints the engine's whole output`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: "string", default: "pulumi" },
      break: { type: "string" },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const names = values.engine === "all" ? Object.keys(engines) : [values.engine];
  for (const name of names) {
    const engine = engines[name];
    if (!engine) {
      const known = [...Object.keys(engines), "all"].join(", ");
      throw new Error(`There is no demo for ${name}. Use one of ${known}.`);
    }
    const options = { breakStep: values.break, verbose: values.verbose };
    if (!(await runSteps(await tellStory(...engine), options))) process.exitCode = 1;
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
