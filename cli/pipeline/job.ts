/** One job of a pipeline: its stack, its engine and its forge. */
import { appendFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { resolveContract, type Contract } from "../../provider/contract";
import { contractOf } from "../account";
import type { World } from "../world";
import { hidingValues, secretsOf, sensitiveValues } from "./comment/engine-text";
import { FALLBACK_VARIABLE, forgeOf, refusal } from "./forge/choose";
import { TOKEN_VARIABLE, type ForgeName } from "./forge/choose";
import type { Forge, Program } from "./forge/forge";
import { Pulumi } from "./tools/pulumi";
import { start, withoutCommands, type Ended, type ToolContext } from "./tools/process";
import { Terraform } from "./tools/terraform";
import { ToolError, type Tool, type ToolName } from "./tools/tool";

export interface JobOptions {
  readonly tool: ToolName;
  readonly dir: string;
  readonly stack: string;
  readonly forge?: ForgeName;
  readonly synth: string;
}

export interface Job extends Program {
  readonly toolName: ToolName;
  readonly tool: (use: Use) => Tool;
  readonly forge: Forge;
  readonly world: World;
  readonly contract: Contract;
  /** The commit that is checked out. */
  readonly source: string;
  /** What no text of the job may hold: secrets of its environment, and of plans once they are there. */
  readonly secrets: Set<string>;
  /** Private folder, away from the checkout. */
  readonly work: string;
  /** Reads of the checkout; a failure is an answer. */
  readonly git: (words: readonly string[]) => Promise<Ended>;
}

export const PASSPHRASE_VARIABLE = "ERPHOST_PLAN_PASSPHRASE";
export const IDENTITY_VARIABLE = "ERPHOST_IDENTITY";
const PROFILE_VARIABLE = "ERPHOST_PROFILE";
/** Variables of pipelines that no engine gets, nor the programs that it runs. */
const OWN = [
  TOKEN_VARIABLE,
  PASSPHRASE_VARIABLE,
  IDENTITY_VARIABLE,
  "ERPHOST_VARIABLES_TOKEN",
  // GitLab's token of a job, and what else holds it.
  "CI_JOB_TOKEN",
  "CI_REGISTRY_PASSWORD",
  "CI_DEPENDENCY_PROXY_PASSWORD",
  "CI_REPOSITORY_URL",
];
/** What a job does with its engine. */
type Use = "read" | "apply" | "resume";
const VARIABLES: Readonly<Record<Use, Readonly<Record<string, string>>>> = {
  // A plan with a key that may only read asks nothing about what the apply's key may do.
  read: { ERPHOST_PREFLIGHT: "off" },
  apply: {},
  resume: { ERPHOST_RESUME: "true" },
};
const STACK_LENGTH_MAX = 200;

/** Runs something for a stack, with a private folder that is removed afterwards. */
export async function withJob<T>(options: JobOptions, outer: World, use: (job: Job) => Promise<T>) {
  const secrets = new Set(secretsOf(outer.env));
  const hide = (text: string): string => withoutCommands(hidingValues(secrets)(text));
  const cwd = checked(options, outer);
  // Other members may be read when they are asked for, and not before.
  const world = Object.assign(Object.create(outer) as World, {
    print: (line: string) => outer.print(hide(line)),
    report: (line: string) => outer.report(hide(line)),
    env: withProfile(outer.env, cwd),
  });
  const contract = contractFor(world, outer);
  const forge = forgeOf(options.forge, world);
  const { stack } = options;
  const env = { ...given(world), TF_IN_AUTOMATION: "1" };
  const git = (words: readonly string[]): Promise<Ended> => gitIn({ world, cwd, env }, words);
  const { source, dir } = await checkoutOf(git);
  // GitHub empties its own around each job, also around one that was killed.
  const work = mkdtempSync(join(world.env["RUNNER_TEMP"] || tmpdir(), "erphost-pipeline-"));
  const tool = (of: Use): Tool => {
    const all = { ...VARIABLES[of], ...defaults({ stack, dir }, forge), ...env };
    return toolOf(options, { work, use: of, surroundings: { world, cwd, env: all } });
  };
  try {
    const job = { stack, dir, tool, forge, world, contract, source, work, git };
    return await use({ ...job, toolName: options.tool, secrets });
  } catch (error) {
    // It is said where nobody knows the secrets any more.
    if (error instanceof Error) {
      error.message = hide(error.message);
      error.stack = hide(error.stack ?? "");
    }
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Hides the values of a plan that are sensitive in whatever the job says from now on. */
export const hideIn = ({ secrets }: Job, json: string): void =>
  sensitiveValues(json).forEach((value) => secrets.add(value));

/** A pull request can change a file: what that says the service does not delete counts as deleted. */
function contractFor(world: World, { env }: World): Contract {
  const contract = contractOf({}, world);
  if (world.env === env || contract.profile === undefined) return contract;
  return resolveContract(
    JSON.parse(JSON.stringify(contract.profile), (name, value: unknown) =>
      name === "delete" && value === false ? undefined : value,
    ),
  );
}

/** Whoever reads the profile finds the file that the engine's plugin does. */
function withProfile(env: World["env"], cwd: string): World["env"] {
  const profile = env[PROFILE_VARIABLE] ?? "";
  const isFile = profile !== "" && !profile.trimStart().startsWith("{");
  return isFile ? { ...env, [PROFILE_VARIABLE]: resolve(cwd, profile) } : env;
}

/** @returns the folder of the program @throws InvalidInput with a sentence, before any call */
function checked({ stack, dir }: JobOptions, world: World): string {
  if (stack.trim() === "" || stack.length > STACK_LENGTH_MAX) {
    throw refusal("--stack", `must be a name of at most ${STACK_LENGTH_MAX} characters`);
  }
  const folder = resolve(world.cwd, dir);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw refusal("--dir", `is ${dir}, which is not a folder`);
  }
  return folder;
}

/** What every run of a pipeline wants, unless its environment says otherwise. */
const defaults = ({ stack, dir }: Program, { run: { home } }: Forge) => ({
  // As Terraform writes a folder of a repository.
  ERPHOST_SCOPE: dir === "" ? `${home}/${stack}` : `${home}//${dir.replace(/\/$/, "")}:${stack}`,
  ERPHOST_SAME_NAME: "error",
});

function given({ env }: World): Readonly<Record<string, string | undefined>> {
  const own = env[TOKEN_VARIABLE] === undefined ? [...OWN, FALLBACK_VARIABLE] : OWN;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.includes(name)));
}

/** An image may run as another user than the one who cloned; this command runs nothing of the checkout. */
const gitIn = (surroundings: ToolContext, words: readonly string[]): Promise<Ended> =>
  start(surroundings, {
    program: "git",
    words: ["-c", "safe.directory=*", "--literal-pathspecs", ...words],
    isQuiet: true,
  });

async function checkoutOf(git: Job["git"]): Promise<Pick<Job, "source" | "dir">> {
  const words = ["rev-parse", "HEAD", "--show-prefix"];
  const { code, stdout } = await git(words);
  const [source, dir = ""] = stdout.split(/\r?\n/);
  if (code !== 0 || !source) throw new ToolError("git", words.join(" "), code);
  return { source, dir };
}

function toolOf(
  { tool, stack, synth }: JobOptions,
  { use, ...where }: { use: Use; surroundings: ToolContext; work: string },
): Tool {
  if (tool === "pulumi") return new Pulumi({ stack, ...where });
  const isReading = use === "read";
  if (tool !== "cdktf") return new Terraform({ program: tool, isReading, ...where });
  // CDKTF's own variable for the engine below it.
  const { env, cwd } = where.surroundings;
  const program = env["TERRAFORM_BINARY_NAME"] || "terraform";
  const folder = join(cwd, "cdktf.out", "stacks", stack);
  return new Terraform({ program, isReading, ...where, synthesis: { line: synth, folder } });
}

/** Prints Markdown, and shows it on the page of a run on GitHub. */
export function publish(markdown: string, { print, env }: World): void {
  print(markdown);
  const page = env["GITHUB_STEP_SUMMARY"] ?? "";
  if (page !== "") appendFileSync(page, `${markdown}\n`);
}
