/** What a plan job says in its section of the comment. */
import { pictureOf } from "../../plan-summary/picture";
import { code, markdownOf } from "../../plan-summary/markdown";
import type { Summary } from "../../plan-summary/schema";
import { errorText } from "../../voice";
import type { Job } from "../job";
import { ToolError } from "../tools/tool";
import { engineFold, fenced, folded, masked } from "./engine-text";
import { headingOf, type Section } from "./sections";

export interface Reviewed {
  readonly summary: Summary;
  /** As people see it in the pull request. */
  readonly commit: string;
  /** What rules say of the plan, in Markdown; empty where they say nothing. */
  readonly judged: string;
  readonly isRefused: boolean;
  readonly text: string;
}

const COMMIT_LENGTH = 12;
/** The page of a run on GitHub takes a megabyte. */
const TEXT_LENGTH_MAX = 400_000;
const ERROR_LENGTH_MAX = 6_000;
const ERROR_LINES_MAX = 100;
const ANSWER_LENGTH_MAX = 3_500;
/** What the heading and the marks of a comment take. */
const REST_LENGTH = 2_000;

/** In this run, where the forge knows its address. */
const atRun = (commit: string, { forge: { run } }: Pick<Job, "forge">): string =>
  `${code(commit.slice(0, COMMIT_LENGTH))}${run.url === undefined ? "" : ` by [this run](${run.url})`}`;

/** The section of a plan that was made. @param old undefined outside a comment */
export function planSection(
  job: Job,
  { summary, commit, judged, isRefused, text }: Reviewed,
  old?: Section,
): Section {
  const { forge, secrets } = job;
  const lengthMax = forge.bodyLengthMax - REST_LENGTH - judged.length;
  const details = markdownOf(summary, { isHeaded: false, lengthMax });
  const then = isRefused
    ? "applies nothing while policies refuse it"
    : "applies this and nothing else";
  const picture = summary.plans.flatMap(pictureOf);
  return {
    head: `${headingOf(job)}\n\nAfter the merge, the apply job ${then}.`,
    plan: `${judged}Planned at ${atRun(commit, job)}: ${details}${sinceText(old, details)}`,
    picture:
      picture.length === 0 ? "" : folded("A picture of it", ["```mermaid", ...picture, "```"]),
    engine: engineFold(masked(text, secrets).slice(0, TEXT_LENGTH_MAX)),
  };
}

/** The end of what an engine and this job said, masked, in which nothing is a mention or a link. */
function errorFence({ secrets }: Job, error: unknown, lengthMax: number): string[] {
  const said = error instanceof ToolError ? error.complaint : "";
  const lines = masked(`${said.trim()}\n${errorText(error)}`.trim(), secrets);
  return fenced(lines.split("\n").slice(-ERROR_LINES_MAX).join("\n").slice(-lengthMax));
}

/** What became of the apply. @param accepted the hash of a plan that somebody accepted */
export const appliedText = (job: Job, accepted?: string): string =>
  `**Applied** at ${atRun(job.source, job)}${accepted === undefined ? "" : `: a plan that nobody had reviewed. ${code(job.forge.run.actor)} accepted it as ${code(accepted)}`}.`;

/** The same where the job failed, whether or not anything was applied. */
export const notAppliedText = (job: Job, error: unknown): string =>
  [
    `**The apply job failed** at ${atRun(job.source, job)}.`,
    "",
    ...errorFence(job, error, ANSWER_LENGTH_MAX),
  ].join("\n");

/** The section of a plan that failed. What was planned before is folded away, and marked as old. */
export function failureSection(job: Job, commit: string, error: unknown, old: Section = {}) {
  const { forge } = job;
  const older = old.plan === undefined ? old.older : olderFold(old.plan);
  return {
    head: headingOf(job),
    failed: [
      `**The plan failed** at ${atRun(commit, job)}. Nothing of this ${forge.pullWord} can be applied until a plan of its newest commit succeeds${older === undefined ? "" : "; the older one below does not count any more"}.`,
      "",
      ...errorFence(job, error, ERROR_LENGTH_MAX),
    ].join("\n"),
    ...(older !== undefined && { older }),
  };
}

const olderFold = (plan: string): string =>
  folded("Out of date: an older plan, which is not applied", [...plan.split("\n")]);

const NAMED_MAX = 10;

/** What differs from the plan that the comment had before, as far as comments show it. */
function sinceText(old: Section | undefined, details: string): string {
  if (old === undefined) return "";
  const before = old.plan ?? old.older;
  const commit = /Planned at (`[0-9a-f]+`)/.exec(before ?? "")?.[1];
  if (before === undefined || commit === undefined) {
    return "\n\nNo earlier plan to compare it with.";
  }
  const [had, has] = [itemsOf(before.slice(before.indexOf("Planned at"))), itemsOf(details)];
  const named = (what: string, items: readonly string[]): string[] => {
    const more = items.length - NAMED_MAX;
    const names = [...items.slice(0, NAMED_MAX), ...(more > 0 ? [`… ${more} more`] : [])];
    return items.length === 0 ? [] : [`${what} ${names.join(", ")}`];
  };
  const added = [...has.keys()].filter((item) => !had.has(item));
  const gone = [...had.keys()].filter((item) => !has.has(item));
  const kept = [...has.keys()].filter((item) => had.has(item));
  const others = kept.filter((item) => had.get(item) !== has.get(item));
  const parts = [
    ...[...named("new:", added), ...named("no longer:", gone)],
    ...named("otherwise than then:", others),
  ];
  const rest = parts.length === 0 ? "the same changes" : parts.join("; ");
  return `\n\nCompared with the plan of ${commit}, as far as comments show it: ${rest}.`;
}

/** Each object of a plan in Markdown by its name, with all that is said of it. */
function itemsOf(plan: string): Map<string, string> {
  const items = new Map<string, string>();
  let section = "";
  let name = "";
  for (const line of plan.split("\n")) {
    if (line.startsWith("#### ")) section = line;
    const [, found] = /^- (?:[\d,]+ × )?((`+).+?\2)(?!`)/.exec(line) ?? [];
    if (found !== undefined) name = found;
    else if (!line.startsWith("  ")) name = "";
    if (name !== "") items.set(name, `${items.get(name) ?? ""}\n${section}\n${line}`);
  }
  return items;
}
