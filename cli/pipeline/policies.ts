/** The rules of `erphost/policies`, about the plan that a job has just made. */
import { visible } from "../../provider/messages";
import { checkPlan, type RuleName, type Violation } from "../../provider/plans/policies";
import { code, escaped } from "../plan-summary/markdown";
import type { World } from "../world";
import { refusal } from "./forge/choose";

export interface PolicyOptions {
  readonly policies?: readonly ("all" | "none" | RuleName)[];
  readonly keyDaysMax?: number;
}

/** What a plan in JSON breaks. */
export type Judge = (json: string) => readonly Violation[];

/** With this many, a comment with the longest summary is still one that a forge takes. */
const SHOWN_MAX = 10;
const WHY_LENGTH_MAX = 120;

/** @throws InvalidInput where an age is given that nothing would look at */
export function judgeOf({ policies, keyDaysMax }: PolicyOptions, { nowMs }: World): Judge {
  if (policies === undefined && keyDaysMax !== undefined) {
    throw refusal("--key-days-max", "needs --policies");
  }
  const named = (policies ?? []).filter((name) => name !== "all" && name !== "none");
  const rules = policies?.includes("all") === true ? undefined : named;
  return (json) => checkPlan(json, { rules, keyDaysMax, nowMs: nowMs() });
}

/** What a comment begins with; nothing where nothing is broken. */
export function refusalText(broken: readonly Violation[]): string {
  if (broken.length === 0) return "";
  const lines = broken.slice(0, SHOWN_MAX).map(({ rule, address, why }) => {
    const cut = why.length <= WHY_LENGTH_MAX ? why : `${why.slice(0, WHY_LENGTH_MAX)}…`;
    return `- ${code(rule)}: ${code(address)} ${escaped(cut)}`;
  });
  const more = broken.length - lines.length;
  const rest = more > 0 ? [`- … and ${more} more`] : [];
  return ["#### Refused by policies", "", ...lines, ...rest, "", ""].join("\n");
}

/** @throws Error with what is broken */
export function assertKept(broken: readonly Violation[], stack: string): void {
  if (broken.length === 0) return;
  const shown = broken.slice(0, SHOWN_MAX).map(({ rule, text }) => visible(`${rule}: ${text}`));
  const more = broken.length - shown.length;
  const rest = more > 0 ? [`And ${more} more.`] : [];
  throw new Error(
    `Policies refuse the plan of ${stack}, and nothing of it is applied. ${[...shown, ...rest].join(" ")} Change the program, or the rules in --policies.`,
  );
}
