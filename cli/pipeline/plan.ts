/** `erphost pipeline plan`: a plan on a pull request, with one comment, kept for the apply. */
import { appendFileSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { World } from "../world";
import { changeSection, type Section } from "./comment/sections";
import { failureSection, planSection } from "./comment/text";
import { refusal } from "./forge/choose";
import { artifactName } from "./forge/forge";
import { PASSPHRASE_VARIABLE, publish, withJob, type Job, type JobOptions } from "./job";
import { assertKept, judgeOf, refusalText, type PolicyOptions } from "./policies";
import { summaryFor } from "./review";
import { encodeSaved } from "./saved";

export interface PlanOptions extends JobOptions, PolicyOptions {
  readonly out?: string;
  readonly unencrypted?: boolean;
}

const PASSPHRASE_LENGTH_MIN = 20;

/**
 * Plans, comments, and writes the file that the forge keeps; empty where its comment could not be
 * written. One that failed is commented on as well, so that nobody takes an older plan for this commit's.
 * @public Loaded by name.
 */
export async function plan(options: PlanOptions, world: World): Promise<void> {
  await withJob(options, world, async (job) => {
    const commit = job.forge.run.head ?? job.source;
    const { judgement, ...made } = await planned(job, options).catch(async (error: unknown) => {
      // A comment that says less does not hide why the plan failed.
      await show(job, (old) => failureSection(job, commit, error, old)).catch((fault: unknown) =>
        world.report(String(fault)),
      );
      throw error;
    });
    const of = { ...made, commit, judged: refusalText(judgement) };
    const isRefused = judgement.broken.length > 0;
    await show(job, (old) => planSection(job, { ...of, isRefused }, old));
    assertKept(judgement, job.stack);
    // Not before the comment shows it: what nobody could see was not reviewed.
    keep(job, options, made.saved);
  });
}

/** Makes the plan, and the file of it for the apply. */
async function planned(job: Job, options: PlanOptions) {
  const { toolName, stack, dir, source, world } = job;
  // Where this attempt fails, what an earlier one of the same run left is not the newest any more.
  keep(job, options, new Uint8Array());
  const passphrase = passphraseOf(options, world);
  const judge = judgeOf(options, world);
  const tool = job.tool("read");
  await tool.prepare();
  const made = await tool.plan();
  const { json } = made;
  const summary = summaryFor(job, made);
  const base = job.forge.run.base ?? source;
  const judgement = await judge(job, json, base);
  const text = await tool.planText();
  const of = { tool: toolName, stack, dir, commit: source, base, rules: judgement.hash, json };
  const saved = await encodeSaved({ version: 1, ...of }, passphrase);
  return { summary, judgement, text, saved };
}

/** Writes the file for the apply, and tells the next step of a job on GitHub what to call it. */
function keep(job: Job, { out }: PlanOptions, bytes: Uint8Array): void {
  const { cwd, env } = job.world;
  const path = resolve(cwd, out ?? artifactName(job));
  // The checkout may have a link of that name.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
  writeFileSync(path, bytes, { mode: 0o600 });
  const outputs = env["GITHUB_OUTPUT"] ?? "";
  if (outputs !== "") appendFileSync(outputs, `artifact=${artifactName(job)}\n`);
}

/** Prints the section, and puts it into the comment. */
async function show(job: Job, sectionOf: (old?: Section) => Section): Promise<void> {
  const { forge, world } = job;
  const { pull } = forge.run;
  publish(Object.values(sectionOf()).filter(Boolean).join("\n\n"), world);
  if (pull === undefined) {
    return world.report(`No comment: this run is not about a ${forge.pullWord}.`);
  }
  await changeSection(job, pull, sectionOf);
  world.report(`Commented on ${forge.pullWord} ${pull}.`);
}

/** @throws InvalidInput where the plan would be kept as it is, and nobody asked for that */
export function passphraseOf({ unencrypted }: { readonly unencrypted?: boolean }, { env }: World) {
  const passphrase = env[PASSPHRASE_VARIABLE] ?? "";
  if (unencrypted === true) {
    if (passphrase === "") return undefined;
    throw refusal("--unencrypted", `cannot be used with ${PASSPHRASE_VARIABLE}`);
  }
  if (passphrase.length >= PASSPHRASE_LENGTH_MIN) return passphrase;
  throw refusal(
    PASSPHRASE_VARIABLE,
    `must have at least ${PASSPHRASE_LENGTH_MIN} characters: a plan holds secrets, so it is encrypted. --unencrypted keeps it as it is`,
  );
}
