/**
 * `npm run demo`: a whole ERP installation declared, changed, drifted, rotated and destroyed by the
 * real engine on the emulator. Every step says what it expects and fails when that is not so.
 */
import { parseArgs } from "node:util";
import { pulumiDemo } from "./pulumi";
import { runSteps } from "./steps";

const usage = `Usage: npm run demo -- [--engine pulumi] [--break STEP]

  --engine NAME   which engine shows the job: pulumi (default)
  --break STEP    the service fails during that step, to see that the demo notices
  --verbose       the engine's whole output`;

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
  const demo = demos[values.engine];
  if (!demo) {
    throw new Error(
      `There is no demo for ${values.engine}. Use one of ${Object.keys(demos).join(", ")}.`,
    );
  }
  const options = { breakStep: values.break, verbose: values.verbose };
  if (!(await runSteps(await demo(), options))) process.exitCode = 1;
}

const demos: Readonly<Record<string, typeof pulumiDemo>> = { pulumi: pulumiDemo };

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
