/** `erphost pipeline apply`: what was reviewed, and nothing else. */
import { isDeepStrictEqual } from "node:util";
import type { Summary } from "../plan-summary/schema";
import { errorText } from "../voice";
import type { World } from "../world";
import { visible } from "../../provider/messages";
import { markdownOf } from "../plan-summary/markdown";
import { checkAccept, hashOf, isAccepted, type Doing } from "./accept";
import { changesOf, differences, providersOf, type Change, type Difference } from "./changes";
import { hidingValues } from "./comment/engine-text";
import { changeSection } from "./comment/sections";
import { appliedText, notAppliedText } from "./comment/text";
import { type Apply, artifactName, type MergedPull } from "./forge/forge";
import { hideIn, publish, withJob, type Job, type JobOptions } from "./job";
import { passphraseOf } from "./plan";
import { assertKept, judgeOf, refusalText, type Judge, type PolicyOptions } from "./policies";
import { assertAllowed, summaryFor } from "./review";
import { decodeSaved, type SavedPlan } from "./saved";
import { ToolError, type Planned } from "./tools/tool";

export interface ApplyOptions extends JobOptions, PolicyOptions {
  readonly unencrypted?: boolean;
  readonly allowUnreviewed?: boolean;
  readonly accept?: string;
}

/** The saved plan of the pull request that was merged, or why there is none. */
type Review = { readonly saved: SavedPlan } | { readonly absence: string };

interface Applying extends Pick<Doing, "job" | "tool" | "last"> {
  readonly review: Review;
  readonly allowUnreviewed: boolean;
  readonly accept: string | undefined;
  readonly passphrase: string | undefined;
  readonly judge: Judge;
}

const NAMED_MAX = 10;
const FIELDS_MAX = 5;
const short = (commit: string): string => commit.slice(0, 12);

/** Applies what was reviewed, or fails before anything is applied. @public Loaded by name. */
export async function apply(options: ApplyOptions, world: World): Promise<void> {
  const passphrase = passphraseOf(options, world);
  const { accept, allowUnreviewed = false } = options;
  checkAccept(accept, { allowUnreviewed, passphrase });
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
    const pull = await job.forge.mergedPull(job.source);
    await answering(job, pull, accept, async () => {
      const review = await reviewOf(job, pull, passphrase);
      await tool.prepare();
      const of = { allowUnreviewed, accept, passphrase, judge };
      return applyReviewed({ job, tool, last, review, ...of });
    });
  });
}

/** Says in the comment of the pull request what became of it. */
async function answering(
  job: Job,
  pull: MergedPull | undefined,
  accepted: string | undefined,
  work: () => Promise<boolean>,
): Promise<void> {
  const answer = async (applied: string): Promise<void> => {
    if (pull === undefined) return;
    // What was done matters more than where it is said.
    await changeSection(job, pull.number, (old) => ({ ...old, applied })).catch((fault: unknown) =>
      job.world.report(String(fault)),
    );
  };
  const isApplied = await work().catch(async (error: unknown) => {
    await answer(notAppliedText(job, error));
    throw error;
  });
  if (isApplied) await answer(appliedText(job, accepted));
}

const at = ({ url }: Apply): string => (url === undefined ? "" : ` (${url})`);

async function reviewOf(job: Job, pull: MergedPull | undefined, passphrase: string | undefined) {
  const { forge, stack, dir, source, toolName } = job;
  if (!pull) return { absence: `no ${forge.pullWord} alone brought commit ${source}` };
  const kept = await forge.savedPlan(pull, artifactName(job));
  if ("absence" in kept) return kept;
  const absence = `the newest plan of ${forge.pullWord} ${pull.number} failed, or policies refused it`;
  if (kept.bytes.length === 0) return { absence };
  const saved = await decodeSaved(kept.bytes, passphrase).catch(errorText);
  if (typeof saved === "string") return { absence: saved };
  hideIn(job, saved.json);
  if (saved.stack === stack && saved.dir === dir && saved.tool === toolName) return { saved };
  const of = `${saved.tool}, ${saved.dir}${saved.stack}`;
  return { absence: `the plan of ${forge.pullWord} ${pull.number} is of another program (${of})` };
}

/**
 * The plan is always made from what was merged: the one of the review says only what it may do.
 * @returns whether there was anything to apply
 */
async function applyReviewed(applying: Applying): Promise<boolean> {
  const { job, tool, last, accept } = applying;
  const planned = await tool.plan();
  const { json } = planned;
  const summary = summaryFor(job, planned);
  const changesState = summary.plans.some((plan) => plan.changesState);
  const changes = changesOf(json);
  const isEnded = last === undefined || last.state === "succeeded";
  // After one that did not succeed, the record of one that did makes reviews strict again.
  if (isEnded && changes.length === 0 && !changesState) {
    job.world.print(`Nothing to change in ${job.stack}.`);
    // The job of an older merge, which may wait still, would undo this one.
    const isNewer = last === undefined || (await job.forge.isBefore(last.commit, job.source));
    if (isNewer) await recorded({ ...applying, accept: undefined }, summary, async () => undefined);
    return false;
  }
  const { refused, judgement } = await lookedAt(applying, json, changes);
  if (refused !== undefined || accept !== undefined) {
    await assertAccepted(applying, { planned, summary, refused });
  }
  if (judgement.warned.length > 0) publish(refusalText({ ...judgement, broken: [] }), job.world);
  assertKept(judgement, job.stack);
  await recorded(applying, summary, async () => {
    await (last?.state === "cut-off" ? tool.resume() : tool.apply());
    job.world.print(`Applied ${job.stack} at ${job.source}.`);
  });
  return true;
}

/** Records the begin and the end of an apply. One that is cut off leaves no end. */
async function recorded({ job, accept }: Applying, summary: Summary, work: () => Promise<void>) {
  const { forge, stack, source, world } = job;
  if (summary.changes) await assertAllowed(summary, world);
  const shown = (error: unknown): void => world.report(String(error));
  if (world.stopped.aborted) throw new Error("Nothing was applied, because the job was cancelled.");
  const id = await forge.beginApply(job, source, accept);
  await work().catch(async (error: unknown) => {
    const isCutOff = error instanceof ToolError && error.code === null;
    // Without its record it counts as cut off. Why it failed matters more than why that is missing.
    if (!isCutOff) await forge.endApply(id, "failed").catch(shown);
    throw error;
  });
  await forge.endApply(id, "succeeded").catch((error: unknown) => {
    throw new Error(
      `${stack} was applied, but not recorded, so that the next apply takes this one for cut off: ${errorText(error)}`,
    );
  });
}

/**
 * The newest commit before this push, or else of the last apply of another one. What is not in the history judges
 * nothing, and what a shallow checkout lacks is named all the same: its rules are missing then.
 */
async function beforeOf({ git, forge: { run }, source }: Job, last?: Apply): Promise<string> {
  const before = run.before ?? (last?.commit === source ? last.applied : last?.commit);
  const isShallow = (await git(["rev-parse", "--is-shallow-repository"])).stdout.trim() === "true";
  if (before !== undefined && before !== source) {
    const { code } = await git(["merge-base", "--is-ancestor", before, source]);
    if (code === 0 || isShallow) return before;
  }
  const parent = `${source}^`;
  const { code, stdout } = await git(["rev-parse", "--verify", "--quiet", parent]);
  if (code === 0) return stdout.trim();
  return isShallow ? parent : source;
}

/**
 * Whether a plan was reviewed, and what rules say of it: those before this push, and of a reviewed one
 * those that judged it in the pull request as well.
 */
async function lookedAt(applying: Applying, json: string, changes: readonly Change[]) {
  const { job, last, review, judge, accept, allowUnreviewed } = applying;
  const before = await beforeOf(job, last);
  const refused = await refusedBy(applying, json, changes);
  const ofMain = await judge(job, json, before);
  const isTaken = refused === undefined && accept === undefined && !allowUnreviewed;
  if (!isTaken || changes.length === 0 || !("saved" in review)) {
    return { refused, judgement: ofMain };
  }
  const { base = before, rules } = review.saved;
  // Whoever makes a saved plan could name a commit of the pull request itself.
  const isOld = base !== before && (await job.forge.isBefore(base, before));
  const planned = isOld ? await judge(job, json, base) : ofMain;
  const judgement = planned.broken.length > 0 ? planned : ofMain;
  if (planned.hash === rules) return { refused, judgement };
  const other = `the plan that was reviewed was judged by other rules than those of ${short(isOld ? base : before)}, or by fewer.`;
  return { refused: other, judgement };
}

/** Why nobody reviewed a plan, if so. @throws Error where a later merge would be undone */
async function refusedBy(
  { job, last, review, allowUnreviewed }: Applying,
  json: string,
  now: readonly Change[],
): Promise<string | undefined> {
  if (allowUnreviewed) return undefined;
  if (last && (await job.forge.isBefore(job.source, last.commit))) {
    throw new Error(
      `Nothing was applied, because ${short(job.source)} is older than ${short(last.commit)}, which an apply of ${job.stack} has begun already. Run the job of the newest merge; to go back, revert by a ${job.forge.pullWord}.`,
    );
  }
  if (now.length === 0) return undefined;
  if ("absence" in review) return `nobody reviewed this plan of ${job.stack}: ${review.absence}.`;
  // Of what an earlier run has begun, the rest is left.
  const isRest = last !== undefined && last.state !== "succeeded";
  const hide = hidingValues(job.secrets);
  const others = differences(changesOf(review.saved.json), now, isRest, hide);
  const isSame = isDeepStrictEqual(providersOf(review.saved.json), providersOf(json));
  if (!isSame)
    return `providers of ${job.stack} are configured otherwise than in what was reviewed.`;
  if (others.length === 0) return undefined;
  const named = hide(others.slice(0, NAMED_MAX).map(differenceText).join("; "));
  const more = others.length > NAMED_MAX ? `; and ${others.length - NAMED_MAX} more` : "";
  return `the plan of ${job.stack} is not what was reviewed at ${short(review.saved.commit)}: ${named}${more}. If an earlier merge was not applied, run its job first, then this one again.`;
}

/** `erphost_server.web (update; region: reviewed "eu", now "us")` */
function differenceText({ address, reviewed, now, fields }: Difference): string {
  const parts = fields
    .slice(0, FIELDS_MAX)
    .map((field) => `${field.name}: reviewed ${field.reviewed}, now ${field.now}`);
  const more = fields.length - parts.length;
  const rest = more > 0 ? [`and ${more} more fields`] : [];
  return visible(`${address} (${[doesText(reviewed, now), ...parts, ...rest].join("; ")})`);
}

function doesText(reviewed: string | undefined, now: string | undefined): string {
  if (now === undefined) return `${reviewed} was reviewed, and is not planned now`;
  if (reviewed === undefined) return `${now}, which nobody reviewed`;
  return now === reviewed ? now : `${now}, reviewed was ${reviewed}`;
}

interface Unreviewed {
  readonly planned: Planned;
  readonly summary: Summary;
  readonly refused: string | undefined;
}

/** @throws Error with the one way on, where this very plan was not accepted for the newest commit */
async function assertAccepted(
  { job, tool, last, accept, passphrase }: Applying,
  { planned, summary, refused }: Unreviewed,
): Promise<void> {
  const why = refused ?? "the accepted plan is another one.";
  const change = `Make the change by a ${job.forge.pullWord}`;
  if (passphrase === undefined) {
    throw new Error(
      `Nothing was applied, because ${why} ${change}, or allow it with --allow-unreviewed.`,
    );
  }
  const hash = await hashOf({ job, tool, planned, last }, passphrase);
  if (accept !== undefined && isAccepted(accept, hash)) {
    const { branch, commit } = await job.forge.newest();
    if (commit === job.source) {
      return job.world.report(`${job.forge.run.actor} accepted the plan ${hash} of ${job.stack}.`);
    }
    throw new Error(
      `Nothing was applied, because a plan is accepted for the newest commit of ${branch} alone, and ${short(job.source)} is not that one.`,
    );
  }
  publish(markdownOf(summary), job.world);
  const stale = accept === undefined ? "" : " The hash in --accept is that of another plan.";
  throw new Error(
    `Nothing was applied, because ${why}${stale} ${change}. Or, if what is planned now is right, run this job again for the newest commit of the default branch with --accept ${hash}`,
  );
}
