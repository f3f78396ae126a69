/** `erphost plan-summary`: what a plan does, what it needs, and whether a key may do it. */
import { Command, Option } from "commander";
import { InvalidInput } from "../../provider";
import { issueAt, type Contract } from "../../provider/contract";
import { readPlan } from "../../provider/plans";
import { calling, contractOf, withAccount, withEngine, type AccountOptions } from "../account";
import { sensitiveValues } from "../pipeline/comment/engine-text";
import { Exit, type World } from "../world";
import { markdownOf } from "./markdown";
import type { Summary } from "./schema";
import { summaryOf, withKey, type GivenPlan } from "./summary";
import { tableOf } from "./table";

interface SummaryOptions extends AccountOptions {
  readonly format?: "markdown" | "json" | "table";
  readonly checkKey?: boolean;
  readonly detailedExitcode?: boolean;
}

const REFUSED = 1;
/** Not 2, which says that the input is invalid. */
const CHANGES = 3;

const HELP = `
A file is what one of these prints; - is standard input:
  terraform show -json plan.bin        (tofu show -json plan.bin)
  pulumi preview --json                (with --refresh, drift as well)

No value that a plan calls sensitive is printed, and nothing that looks like a secret. Markdown has
at most 60,000 characters and says what it leaves out; JSON and the table are complete.

With --check-key, ERPHOST_API_KEY is the key of the job that will apply the plan.`;

/** @public The command, loaded by name. */
export const planSummaryCommand = (world: World): Command =>
  withAccount(new Command("plan-summary"))
    .description("Sum up what plans of Terraform, OpenTofu and Pulumi do, and what they need.")
    .argument("<file...>", "Plans in JSON.")
    .addOption(
      new Option(
        "--format <name>",
        "How to print it (default: table on a terminal, otherwise markdown)",
      ).choices(["markdown", "json", "table"]),
    )
    .option("--check-key", "Ask the service whether the key may do all of it.")
    .option("--detailed-exitcode", "Exit with 3 where the plans change something or found drift.")
    .addHelpText("after", HELP)
    .action((files: string[], options: SummaryOptions) => planSummary(files, options, world));

async function planSummary(files: readonly string[], options: SummaryOptions, world: World) {
  const { checkKey = false } = options;
  // What the service offers decides what a delete does.
  const contract = contractOf(options, world);
  const plans = await plansIn(files, contract, world);
  const bare = summaryOf(contract, plans);
  const summary = checkKey ? await checked(bare, options, world) : bare;
  print(summary, options, world);
  if ((summary.key?.missingScopes.length ?? 0) > 0) throw new Exit(REFUSED);
  if (options.detailedExitcode === true && (summary.changes || summary.drift)) {
    throw new Exit(CHANGES);
  }
}

/** @throws InvalidInput with every file that holds no plan */
async function plansIn(files: readonly string[], contract: Contract, world: World) {
  const issues: InvalidInput["issues"][number][] = [];
  const plans: GivenPlan[] = [];
  for (const file of files) {
    const text = await textOf(file, world);
    if (typeof text !== "string") {
      issues.push(issueAt([file], "plan_file_unreadable", text));
      continue;
    }
    const reading = readPlan(text, contract);
    const of = { file: file === "-" ? "standard input" : file, secrets: sensitiveValues(text) };
    if ("plan" in reading) plans.push({ ...of, ...reading });
    else issues.push({ ...reading.fault, path: [file] });
  }
  if (issues.length > 0) throw new InvalidInput("plan-summary", issues);
  return plans;
}

async function textOf(file: string, world: World) {
  try {
    return file === "-" ? await world.readInput() : world.readFile(file);
  } catch (error) {
    if (world.stopped.aborted) throw error;
    const { code } = error as { readonly code?: unknown }; // As Node.js documents it.
    return { errorCode: typeof code === "string" ? code : undefined };
  }
}

const checked = (summary: Summary, options: SummaryOptions, world: World): Promise<Summary> =>
  withEngine(options, world, async (engine) =>
    withKey(summary, await engine.lookups.auth(calling(options, world))),
  );

function print(summary: Summary, { format }: SummaryOptions, world: World): void {
  const chosen = format ?? (world.isTerminal ? "table" : "markdown");
  if (chosen === "json") world.print(JSON.stringify(summary, null, 2));
  else if (chosen === "markdown") world.print(markdownOf(summary));
  else {
    const isColoured = world.isTerminal && (world.env["NO_COLOR"] ?? "") === "";
    for (const line of tableOf(summary, isColoured)) world.print(line);
  }
}
