/** `erphost pipeline`: plan on a pull request, apply what was reviewed, find drift, store keys. */
import { Command, InvalidArgumentError, Option } from "commander";
import { ruleNames } from "../../provider/plans/policies";
import type { World } from "../world";
import type { ApplyOptions } from "./apply";
import type { DriftOptions } from "./drift";
import type { PlanOptions } from "./plan";
import type { SecretOptions } from "./secret";
import { TOOLS } from "./tools/tool";

const HELP = `
The forge's token is in ERPHOST_FORGE_TOKEN, or on GitHub in GITHUB_TOKEN. The passphrase of saved
plans is in ERPHOST_PLAN_PASSPHRASE: at least 20 characters, the same in the jobs of plan and apply. No
engine gets either of them, or CI_JOB_TOKEN, among its variables; on Linux, a program that runs as the
same user can still read them in /proc.

Unless they are set, ERPHOST_SCOPE is the repository with the folder and the stack, ERPHOST_SAME_NAME
is error, and plans that only read make no call about the key (ERPHOST_PREFLIGHT=off).`;

/** @public The command, loaded by name. */
export const pipelineCommand = (world: World): Command =>
  new Command("pipeline")
    .description("Jobs of a pipeline on GitHub or GitLab: plan, apply, drift, secret.")
    .addHelpText("after", HELP)
    .addCommand(
      withPolicies(withJobOptions(new Command("plan")))
        .description("Plan, comment on the pull or merge request, and keep the plan for the apply.")
        .option("--out <file>", "Where the plan is written (default: erphost-plan-…, by the stack)")
        .option("--unencrypted", "Keep the plan with its secrets in plain text.")
        .action((options: PlanOptions) => load.plan().plan(options, world)),
    )
    .addCommand(
      withPolicies(withJobOptions(new Command("apply")))
        .description("Apply what was reviewed, once it was merged.")
        .option("--unencrypted", "Take a plan that was kept in plain text.")
        .option("--accept <hash>", "Apply the very plan with this hash, which a refused job shows.")
        .option("--allow-unreviewed", "Apply whatever is planned now, if nobody reviewed it.")
        .action((options: ApplyOptions) => load.apply().apply(options, world)),
    )
    .addCommand(
      withJobOptions(new Command("drift"))
        .description("Look for drift, and keep one issue about it.")
        .option("--detailed-exitcode", "Exit with 3 where there is drift.")
        .action((options: DriftOptions) => load.drift().drift(options, world)),
    )
    .addCommand(
      withJobOptions(new Command("secret"))
        .description("Store a key that an output holds as a secret of the forge.")
        .requiredOption("--output <name>", "Output of the stack with the key.")
        .requiredOption("--name <name>", "What the forge calls the secret.")
        .option("--environment <name>", "Environment that the secret is for (default: all).")
        .option("--unencrypted", "Store a key that the state holds in plain text.")
        .action((options: SecretOptions) => load.secret().secret(options, world)),
    );

const FORGES = ["github", "gitlab"];
const RULES = ["all", "none", ...ruleNames];
const choice = (flags: string, doc: string, choices: readonly string[]): Option =>
  new Option(flags, doc).choices(choices);

const withJobOptions = (command: Command): Command =>
  command
    .addOption(
      choice("--tool <name>", "What the stack is written for.", TOOLS).makeOptionMandatory(),
    )
    .requiredOption(
      "--stack <name>",
      "Pulumi's or CDKTF's stack; for the others, what you call it. Also the forge's environment.",
    )
    .option("--dir <path>", "Folder of the program.", unlessEmpty, ".")
    .addOption(choice("--forge <name>", "The forge (default: whose job this is)", FORGES))
    .option(
      "--synth <command>",
      "What synthesises a CDKTF program.",
      unlessEmpty,
      "npx cdktf synth",
    );

/** An input of the action or the template that is left empty is as one that is left out. */
const unlessEmpty = (text: string, otherwise: string): string =>
  text.trim() === "" ? otherwise : text;

const withPolicies = (command: Command): Command =>
  command
    .addOption(choice("--policies <rules...>", "Rules that refuse a plan (default: none)", RULES))
    .option("--rules <file>", "Rules of your own, from the top of the repository (an ES module).")
    .option("--rego <folder>", "The same, for Conftest.")
    .option("--key-days-max <days>", "For old-key: oldest secret of a key (default: 90)", days);

function days(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("must be a whole number of days, at least 1.");
}

/** Loaded where a command runs: its help needs none of it. */
const load = {
  plan: () => require("./plan") as typeof import("./plan"),
  apply: () => require("./apply") as typeof import("./apply"),
  drift: () => require("./drift") as typeof import("./drift"),
  secret: () => require("./secret") as typeof import("./secret"),
};
