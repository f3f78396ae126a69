/** The rules of `erphost/policies`, about the plan that a job has just made. */
import { visible } from "../../provider/messages";
import { checkPlan, type RuleName } from "../../provider/plans/policies";
import { code } from "../plan-summary/markdown";
import type { World } from "../world";
import { masked } from "./comment/engine-text";
import { refusal } from "./forge/choose";
import type { Job } from "./job";
import { checkOwn, judgedByOwn, type Finding, type Judgement, type OwnOptions } from "./rules/own";

export interface PolicyOptions extends OwnOptions {
  readonly policies?: readonly ("all" | "none" | RuleName)[];
  readonly keyDaysMax?: number;
}

/** @param commit whose files hold one's own rules: never those that the pull request brings */
export type Judge = (job: Job, json: string, commit: string) => Promise<Judgement>;

/** With this many, a comment with the longest summary is still one that a forge takes. */
const SHOWN_MAX = 10;
const WHY_LENGTH_MAX = 120;

/** @throws InvalidInput where an age is given that nothing would look at, or a path leads elsewhere */
export function judgeOf(options: PolicyOptions, { nowMs }: Pick<World, "nowMs">): Judge {
  const { policies, keyDaysMax } = options;
  if (policies === undefined && keyDaysMax !== undefined) {
    throw refusal("--key-days-max", "needs --policies");
  }
  checkOwn(options);
  const named = (policies ?? []).filter((name) => name !== "all" && name !== "none");
  const rules = policies?.includes("all") === true ? undefined : named;
  return async (job, json, commit) => {
    const { profile } = job.contract;
    const broken = checkPlan(json, { rules, keyDaysMax, nowMs: nowMs(), profile });
    const own = await judgedByOwn(job, options, { json, commit });
    // Names, and what rules say, repeat values that others chose: masked before they are cut.
    const shown = (one: Finding): Finding => ({
      rule: masked(one.rule, job.secrets),
      address: masked(one.address, job.secrets),
      why: masked(one.why, job.secrets),
      text: masked(one.text, job.secrets),
    });
    return { ...own, broken: [...broken, ...own.broken].map(shown), warned: own.warned.map(shown) };
  };
}

/** What a comment begins with; nothing where nothing is broken. */
export const refusalText = ({ broken, warned }: Pick<Judgement, "broken" | "warned">): string =>
  `${listText("Refused by policies", broken)}${listText("Policies warn", warned)}`;

/** Whatever a rule says is code: it repeats names and values that others chose. */
function listText(title: string, findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  const lines = findings.slice(0, SHOWN_MAX).map(({ rule, address, why }) => {
    const cut = why.length <= WHY_LENGTH_MAX ? why : `${why.slice(0, WHY_LENGTH_MAX)}…`;
    return `- ${code(rule)}: ${code(address)} ${code(cut)}`;
  });
  const more = findings.length - lines.length;
  const rest = more > 0 ? [`- … and ${more} more`] : [];
  return [`#### ${title}`, "", ...lines, ...rest, "", ""].join("\n");
}

/** @throws Error with what is broken */
export function assertKept({ broken }: Pick<Judgement, "broken">, stack: string): void {
  if (broken.length === 0) return;
  const shown = broken.slice(0, SHOWN_MAX).map(({ rule, text }) => visible(`${rule}: ${text}`));
  const more = broken.length - shown.length;
  const rest = more > 0 ? [`And ${more} more.`] : [];
  throw new Error(
    `Policies refuse the plan of ${stack}, and nothing of it is applied. ${[...shown, ...rest].join(" ")} Change the program, or the rules in --policies.`,
  );
}
