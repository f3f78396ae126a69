/** `erphost pipeline apply`: what was reviewed, and nothing else. */
import type { Summary } from "../plan-summary/schema";
import type { World } from "../world";
import { changesOf, differences, type Change } from "./changes";
import type { Apply } from "./forge/forge";
import { artifactName } from "./forge/mark";
import { withJob, type Job, type JobOptions } from "./job";
import { passphraseOf } from "./plan";
import { assertKept, judgeOf, type Judge, type PolicyOptions } from "./policies";
import { assertAllowed, summaryIn } from "./review";
import { decodeSaved, type SavedPlan } from "./saved";
import { ToolError, type Tool } from "./tools/tool";

export interface ApplyOptions extends JobOptions, PolicyOptions {
  readonly unencrypted?: boolean;
  readonly allowUnreviewed?: boolean;
}

/** The saved plan of the pull request that was merged, or why there is none. */
type Review = { readonly saved: SavedPlan } | { readonly absence: string };

interface Applying {
  readonly job: Job;
  readonly tool: Tool;
  readonly last: Apply | undefined;
  readonly review: Review;
  readonly allowUnreviewed: boolean;
  readonly judge: Judge;
}

const NAMED_MAX = 10;
const short = (commit: string): string => commit.slice(0, 12);

/**
 * Applies what was reviewed, or fails with a sentence before anything is applied.
 * @public Loaded by name.
 */
export async function apply(options: ApplyOptions, world: World): Promise<void> {
  const passphrase = passphraseOf(options, world);
  const judge = judgeOf(options, world);
  await withJob(options, world, async (job) => {
    const last = await job.forge.lastApply(job);
    if (last?.state === "running") {
      throw new Error(`Another apply of ${job.stack} is still running${at(last)}.`);
    }
    const isCutOff = last?.state === "cut-off";
    if (isCutOff) {
      world.report(`The last apply of ${job.stack} was cut off${at(last)}; this one resumes it.`);
    }
    const tool = job.tool(isCutOff ? "resume" : "apply");
    const review = await reviewOf(job, passphrase);
    await tool.prepare();
    const allowUnreviewed = options.allowUnreviewed === true;
    await applyReviewed({ job, tool, last, review, allowUnreviewed, judge });
  });
}

const at = ({ url }: Apply): string => (url === undefined ? "" : ` (${url})`);

async function reviewOf(job: Job, passphrase: string | undefined): Promise<Review> {
  const { forge, stack, dir, source, toolName } = job;
  const pull = await forge.mergedPull(source);
  if (!pull) return { absence: `no pull request brought commit ${source}` };
  const kept = await forge.savedPlan(pull, artifactName(job));
  if ("absence" in kept) return kept;
  const saved = await decodeSaved(kept.bytes, passphrase);
  if (saved.stack === stack && saved.dir === dir && saved.tool === toolName) return { saved };
  const other = `${saved.tool}, ${saved.dir}${saved.stack}`;
  return { absence: `the plan of pull request ${pull.number} is of another program (${other})` };
}

/** The plan is always made from what was merged: the one of the review says only what it may do. */
async function applyReviewed(applying: Applying): Promise<void> {
  const { job, tool, last } = applying;
  const { json, changesOutputs } = await tool.plan();
  const summary = summaryIn(json, job.stack, changesOutputs);
  const changesState = summary.plans.some((plan) => plan.changesState);
  const changes = changesOf(json);
  const isEnded = last === undefined || last.state === "succeeded";
  // After one that did not succeed, the record of one that did makes reviews strict again.
  if (isEnded && changes.length === 0 && !changesState) {
    job.world.print(`Nothing to change in ${job.stack}.`);
    return;
  }
  await assertReviewed(applying, changes);
  assertKept(applying.judge(json), job.stack);
  await recorded(job, summary, () => (last?.state === "cut-off" ? tool.resume() : tool.apply()));
}

/** Records the begin and the end of an apply. One that is cut off leaves no end. */
async function recorded(job: Job, summary: Summary, work: () => Promise<void>): Promise<void> {
  const { forge, stack, source, world } = job;
  if (summary.changes) await assertAllowed(summary, world);
  const shown = (error: unknown): void => world.report(String(error));
  if (world.stopped.aborted) throw new Error("Nothing was applied, because the job was cancelled.");
  const id = await forge.beginApply(job, source);
  await work().catch(async (error: unknown) => {
    const isCutOff = error instanceof ToolError && error.code === null;
    // Without its record it counts as cut off. Why it failed matters more than why that is missing.
    if (!isCutOff) await forge.endApply(id, "failed").catch(shown);
    throw error;
  });
  world.print(`Applied ${stack} at ${source}.`);
  await forge.endApply(id, "succeeded").catch((error: unknown) => {
    throw new Error(
      `${stack} was applied, but not recorded, so that the next apply takes this one for cut off: ${textOf(error)}`,
    );
  });
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @throws Error where a plan does something that nobody reviewed, or that a later merge has undone */
async function assertReviewed(
  { job, last, review, allowUnreviewed }: Applying,
  now: readonly Change[],
): Promise<void> {
  if (allowUnreviewed) return;
  if (last && (await job.forge.isBefore(job.source, last.commit))) {
    throw new Error(
      `Nothing was applied, because ${short(job.source)} is older than ${short(last.commit)}, which an apply of ${job.stack} has begun already. Run the job of the newest merge; to go back, revert by a pull request.`,
    );
  }
  if (now.length === 0) return;
  if ("absence" in review) {
    throw new Error(
      `Nothing was applied, because nobody reviewed this plan of ${job.stack}: ${review.absence}. Make the change by a pull request, or allow it with --allow-unreviewed.`,
    );
  }
  // Of what an earlier run has begun, the rest is left.
  const isRest = last !== undefined && last.state !== "succeeded";
  const others = differences(changesOf(review.saved.json), now, isRest);
  if (others.length === 0) return;
  const named = others.slice(0, NAMED_MAX).join(", ");
  const more = others.length > NAMED_MAX ? ` and ${others.length - NAMED_MAX} more` : "";
  throw new Error(
    `Nothing was applied, because the plan of ${job.stack} is not what was reviewed at ${short(review.saved.commit)}: ${named}${more}. If an earlier merge was not applied, run its job first, then this one again. Otherwise make another pull request, whose comment shows what is planned now, or allow it with --allow-unreviewed.`,
  );
}
