/** `erphost pipeline plan`: a plan on a pull request, with one comment, kept for the apply. */
import { appendFileSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { World } from "../world";
import { refusal } from "./forge/choose";
import { artifactName, markOf } from "./forge/mark";
import { PASSPHRASE_VARIABLE, publish, withJob, type Job, type JobOptions } from "./job";
import { assertKept, judgeOf, type PolicyOptions } from "./policies";
import { reviewText, summaryIn } from "./review";
import { encodeSaved } from "./saved";

export interface PlanOptions extends JobOptions, PolicyOptions {
  readonly out?: string;
  readonly unencrypted?: boolean;
}

const PASSPHRASE_LENGTH_MIN = 20;

/**
 * Plans, comments, and writes the file that the forge keeps; none where a policy refuses the plan.
 * @public Loaded by name.
 */
export async function plan(options: PlanOptions, world: World): Promise<void> {
  const passphrase = passphraseOf(options, world);
  const judge = judgeOf(options, world);
  await withJob(options, world, async (job) => {
    const { toolName, stack, dir, forge, source } = job;
    const tool = job.tool("read");
    await tool.prepare();
    const { json, changesOutputs } = await tool.plan();
    const summary = summaryIn(json, stack, changesOutputs);
    const broken = judge(json);
    if (broken.length === 0) {
      const saved = { version: 1, tool: toolName, stack, dir, commit: source, json } as const;
      const bytes = await encodeSaved(saved, passphrase);
      const path = resolve(world.cwd, options.out ?? artifactName(job));
      // The checkout may have a link of that name.
      if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
      writeFileSync(path, bytes, { mode: 0o600 });
      handOver(job);
    }
    const commit = forge.head ?? source;
    await show(reviewText({ summary, commit, broken }), job);
    assertKept(broken, stack);
  });
}

async function show(body: string, job: Job): Promise<void> {
  const { forge, world } = job;
  publish(body, world);
  if (forge.pull === undefined) {
    world.report("No comment: this run is not about a pull request.");
    return;
  }
  await forge.comment(forge.pull, { mark: markOf("plan", job), body });
  world.report(`Commented on pull request ${forge.pull}.`);
}

/** @throws InvalidInput where the plan would be kept as it is, and nobody asked for that */
export function passphraseOf(
  { unencrypted }: { readonly unencrypted?: boolean },
  { env }: World,
): string | undefined {
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

/** Tells the next step of a job on GitHub what to call the file. */
function handOver(job: Job): void {
  const path = job.world.env["GITHUB_OUTPUT"] ?? "";
  if (path !== "") appendFileSync(path, `artifact=${artifactName(job)}\n`);
}
