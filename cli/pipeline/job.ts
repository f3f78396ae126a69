/** One job of a pipeline: its stack, its engine and its forge. */
import { appendFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { World } from "../world";
import { forgeOf, refusal, TOKEN_VARIABLE, type ForgeName } from "./forge/choose";
import type { Forge } from "./forge/forge";
import { Pulumi } from "./tools/pulumi";
import { start, type Surroundings } from "./tools/process";
import { Terraform } from "./tools/terraform";
import { ToolError, type Tool, type ToolName } from "./tools/tool";

/** The options that all commands share. */
export interface JobOptions {
  readonly tool: ToolName;
  readonly dir: string;
  readonly stack: string;
  readonly forge?: ForgeName;
  readonly synth: string;
}

export interface Job {
  readonly stack: string;
  readonly toolName: ToolName;
  /** The engine, with these variables more. */
  readonly tool: (env: Readonly<Record<string, string>>) => Tool;
  readonly forge: Forge;
  readonly world: World;
  /** The commit that is checked out. */
  readonly source: string;
}

export const PASSPHRASE_VARIABLE = "ERPHOST_PLAN_PASSPHRASE";
export const IDENTITY_VARIABLE = "ERPHOST_IDENTITY";
/** Variables of pipelines that no engine gets, nor the programs that it runs. */
const OWN = [TOKEN_VARIABLE, PASSPHRASE_VARIABLE, IDENTITY_VARIABLE];
const STACK_LENGTH_MAX = 200;

/** Runs something for a stack, with a private folder that is removed afterwards. */
export async function withJob<T>(
  options: JobOptions,
  world: World,
  use: (job: Job) => Promise<T>,
): Promise<T> {
  const { stack, dir } = checked(options, world);
  const forge = forgeOf(options.forge, world);
  const shared = { ...defaults(stack, forge), ...given(world), TF_IN_AUTOMATION: "1" };
  const source = await sourceOf({ world, cwd: dir, env: shared });
  const work = mkdtempSync(join(tmpdir(), "erphost-pipeline-"));
  const tool = (env: Readonly<Record<string, string>>): Tool =>
    toolOf(options, { work, surroundings: { world, cwd: dir, env: { ...env, ...shared } } });
  try {
    return await use({ stack, tool, toolName: options.tool, forge, world, source });
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** @throws InvalidInput with a sentence, before any call */
function checked({ stack, dir }: JobOptions, world: World): { stack: string; dir: string } {
  if (stack.trim() === "" || stack.length > STACK_LENGTH_MAX) {
    throw refusal("--stack", `must be a name of at most ${STACK_LENGTH_MAX} characters`);
  }
  const folder = resolve(world.cwd, dir);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw refusal("--dir", "is not a folder");
  }
  return { stack, dir: folder };
}

/** What every run of a pipeline wants, unless its environment says otherwise. */
const defaults = (stack: string, { home }: Forge): Readonly<Record<string, string>> => ({
  ERPHOST_SCOPE: `${home}/${stack}`,
  ERPHOST_SAME_NAME: "error",
});

const given = ({ env }: World): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.includes(name)));

async function sourceOf(surroundings: Surroundings): Promise<Job["source"]> {
  const words = ["rev-parse", "HEAD"];
  const { code, stdout } = await start(surroundings, { program: "git", words, isQuiet: true });
  if (code !== 0) throw new ToolError("git", words.join(" "), code);
  return stdout.trim();
}

function toolOf(
  { tool, stack, synth }: JobOptions,
  { surroundings, work }: { surroundings: Surroundings; work: string },
): Tool {
  if (tool === "pulumi") return new Pulumi({ stack, surroundings, work });
  if (tool !== "cdktf") return new Terraform({ program: tool, surroundings, work });
  // CDKTF's own variable for the engine below it.
  const program = surroundings.env["TERRAFORM_BINARY_NAME"] ?? "terraform";
  const folder = join(surroundings.cwd, "cdktf.out", "stacks", stack);
  return new Terraform({ program, surroundings, work, synthesis: { line: synth, folder } });
}

/** Prints Markdown, and shows it on the page of a run on GitHub. */
export function publish(markdown: string, { print, env }: World): void {
  print(markdown);
  const page = env["GITHUB_STEP_SUMMARY"] ?? "";
  if (page !== "") appendFileSync(page, `${markdown}\n`);
}
