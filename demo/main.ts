/**
 * `npm run demo`: an ERP installation declared, changed, drifted, rotated and destroyed by real
 * engines on the emulator; with CDKTF, a platform of two stages. Every step checks what it says.
 */
import { parseArgs } from "node:util";
import { onPath } from "../test/harness/terraform-workspace";
import { runCommand, UsageError } from "../test/support/command-line";
import type { Open } from "./operator";
import { PLATFORM_STEPS, tellPlatform } from "./platform/story";
import { openPulumi } from "./pulumi";
import { assertStep, runSteps, type Demo } from "./steps";
import { STORY_STEPS, tellStory } from "./story";
import { openTerraform } from "./terraform";

interface DemoEngine {
  /** As the vendor writes it. */
  readonly name: string;
  /** The first of these programs that is on PATH does the work. */
  readonly programs: readonly string[];
  readonly steps: readonly string[];
  readonly tell: (program: string) => Promise<Demo>;
}

/** The main job, with an engine that has one program. */
const story = (name: string, program: string, open: Open): DemoEngine => ({
  ...{ name, programs: [program], steps: STORY_STEPS },
  tell: () => tellStory(name, open),
});

/** By the value of `--engine`. */
const engines: Readonly<Record<string, DemoEngine>> = {
  pulumi: story("Pulumi", "pulumi", openPulumi),
  tofu: story("OpenTofu", "tofu", openTerraform("tofu")),
  terraform: story("Terraform", "terraform", openTerraform("terraform")),
  cdktf: {
    name: "CDKTF",
    programs: ["tofu", "terraform"],
    steps: PLATFORM_STEPS,
    tell: (program) => tellPlatform(program === "terraform" ? "terraform" : "tofu"),
  },
};

const ALL = "all";

const usage = `Usage: npm run demo -- [--engine NAME] [--break STEP] [--verbose]

  --engine NAME   the engine to use: pulumi, tofu, terraform, cdktf (with tofu or
                  terraform), or ${ALL}; without it, the first of pulumi, tofu and
                  terraform that is on this machine, and else pulumi
  --break STEP    makes the service fail during that step, to show that the demo notices
  --verbose       prints the engine's whole output

The exit code is 1 if a step fails, or if an engine that was named is not on PATH.
`;

interface DemoOptions {
  readonly breakStep: string | undefined;
  readonly verbose: boolean;
}

/** Returns whether every step succeeded; undefined where the engine is not on this machine. */
async function show(
  { name, programs, tell }: DemoEngine,
  options: DemoOptions,
): Promise<boolean | undefined> {
  const program = programs.find(onPath);
  if (program === undefined) {
    process.stdout.write(`Left out: ${name}, because ${programs.join(" or ")} is not on PATH.\n`);
    return undefined;
  }
  return runSteps(await tell(program), options);
}

/** @returns the exit code @throws UsageError where the command line cannot be carried out */
export async function demo(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      engine: { type: "string", default: "pulumi" },
      break: { type: "string" },
      verbose: { type: "boolean", default: false },
    },
  });
  const isAll = values.engine === ALL;
  const named = Object.entries(engines).filter(([key]) => isAll || key === values.engine);
  if (named.length === 0) {
    const known = [...Object.keys(engines), ALL].join(", ");
    throw new UsageError(`There is no demo for ${values.engine}. Use one of ${known}.`);
  }
  if (values.break !== undefined) {
    assertStep(
      values.break,
      named.flatMap(([, { steps }]) => steps),
    );
  }
  const options = { breakStep: values.break, verbose: values.verbose };
  const shown: (boolean | undefined)[] = [];
  for (const [, engine] of named) shown.push(await show(engine, options));
  const leftOut = shown.filter((one) => one === undefined).length;
  if (leftOut > 0) {
    process.stdout.write(`${leftOut} of ${shown.length} engines were left out.\n`);
  }
  // Who asks for all takes what is there; who names one wants that one.
  const isTried = isAll ? leftOut < shown.length : leftOut === 0;
  return isTried && !shown.includes(false) ? 0 : 1;
}

if (require.main === module) runCommand(demo, usage);
