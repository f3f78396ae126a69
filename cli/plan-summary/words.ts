/** What is said of plans, in words that Markdown and the terminal share. */
import { duration } from "../text";
import type { ObjectSummary, PlanSummary, Summary } from "./schema";

/** Sections in the order in which a person should read them: what is lost comes first. */
export const SECTIONS = [
  ["delete", "Deleted", "-", "to delete"],
  ["replace", "Replaced", "±", "to replace"],
  ["rotate", "Rotated", "↻", "to rotate"],
  ["retain", "Retained", "○", "to leave the state, retained in the service"],
  // Of a summary's objects: those that lose Pulumi's protection, and nothing else.
  ["none", "Protected no more", "!", "to unprotect"],
  ["update", "Changed", "~", "to change"],
  ["create", "Created", "+", "to create"],
  ["import", "Imported", "<", "to import"],
] as const;

/** What happens to objects of other providers, in the same order. */
export const OTHER_ACTIONS = [
  ["delete", "-", "to delete"],
  ["replace", "±", "to replace"],
  ["forget", "○", "to leave the state"],
  ["update", "~", "to change"],
  ["create", "+", "to create"],
  ["import", "<", "to import"],
] as const;

/** `1 to delete, 2 to create`. */
export function countsText(plan: PlanSummary): string {
  const { counts, drift, objects } = plan;
  const unprotected = objects.filter(({ action }) => action === "none").length;
  const parts = SECTIONS.flatMap(([action, , , words]) => {
    const count = action === "none" ? unprotected : (counts[action] ?? 0);
    return count === 0 ? [] : [`${number(count)} ${words}`];
  });
  const { length: invoked } = plan.invocations;
  if (invoked > 0)
    parts.push(`${number(invoked)} ${invoked === 1 ? "action" : "actions"} to invoke`);
  const changes = parts.length === 0 ? nothingText(plan) : parts.join(", ");
  const untouched = (counts["none"] ?? 0) - unprotected;
  return [
    changes,
    ...(untouched === 0 ? [] : [`${number(untouched)} without a change`]),
    ...(drift.length === 0 ? [] : [`${number(drift.length)} drifted`]),
  ].join("; ");
}

/** A plan that changes something is never one with nothing to do, whoever's object it is. */
function nothingText({ others, changesState }: PlanSummary): string {
  if (others.length > 0) return "Nothing to do for erphost's objects";
  return changesState
    ? "Nothing to do in the service; only the state changes (outputs, addresses or protection)"
    : "Nothing to do";
}

/** `Objects of other providers, not judged here: 1 to delete, 2 to create.`; undefined where there are none. */
export function othersText({ others, otherDrift }: PlanSummary): string | undefined {
  const drifted = otherDrift.length === 0 ? [] : [`${number(otherDrift.length)} drifted`];
  const changes = OTHER_ACTIONS.flatMap(([action, , words]) => {
    const count = others.filter((one) => one.action === action).length;
    return count === 0 ? [] : [`${number(count)} ${words}`];
  });
  const parts = [...changes, ...drifted];
  return parts.length === 0
    ? undefined
    : `Objects of other providers, not judged here: ${parts.join(", ")}.`;
}

/** What invokes an action. Names of objects are put by `field`. */
export const triggerText = (
  { trigger }: PlanSummary["invocations"][number],
  field: (name: string) => string,
): string => {
  const [, event, address = ""] = /^(\w+) of (.*)$/s.exec(trigger ?? "") ?? [];
  return event === undefined ? "invoked by itself" : `${event} of ${field(address)}`;
};

/** What became of an object that drifted. */
export const driftWord = (what: "changed" | "gone"): string =>
  what === "gone" ? "is gone" : "drifted";

/** What a person must know before anything else. */
export function warningsOf(plan: PlanSummary): string[] {
  const lost = plan.objects.filter(({ action }) => action === "delete" || action === "replace");
  const locked = lost.filter((object) => object.protected).length;
  const ended = plan.objects.filter(({ endsProtection }) => endsProtection).length;
  const { deferred, unnamedDrift } = plan;
  return [
    ...(deferred.length === 0
      ? []
      : [`The engine leaves ${objectsText(deferred.length)} to a later plan.`]),
    ...(unnamedDrift === 0
      ? []
      : [
          `${objectsText(unnamedDrift)} drifted that this preview does not name: \`pulumi preview --refresh --json\` does.`,
        ]),
    ...(plan.complete ? [] : ["The engine reported an error: this plan is not complete."]),
    ...(locked === 0
      ? []
      : [
          `${objectsText(locked)} to delete or replace ${locked === 1 ? "is" : "are"} protected: the apply will be refused.`,
        ]),
    ...(ended === 0
      ? []
      : [`${objectsText(ended)} ${ended === 1 ? "loses its" : "lose their"} deletion protection.`]),
  ];
}

const objectsText = (count: number): string =>
  `${number(count)} ${count === 1 ? "object" : "objects"}`;

/** What is special about a change, beyond its fields. Names of fields are put by `field`. */
export function notesOf(object: ObjectSummary, field: (name: string) => string): string[] {
  const { forcedBy, rotation } = object;
  return [
    ...(object.protected ? ["protected"] : []),
    ...(object.endsProtection ? ["loses its protection"] : []),
    ...(forcedBy.length === 0 ? [] : [`forced by ${forcedBy.map(field).join(", ")}`]),
    ...(object.createdFirst ? ["the new one is created first"] : []),
    ...(object.keepsOld ? ["the service keeps the old one"] : []),
    ...(rotation === null ? [] : [rotationText(rotation, field)]),
  ];
}

function rotationText(
  { oldKey, gracePeriod }: NonNullable<ObjectSummary["rotation"]>,
  field: (name: string) => string,
): string {
  const key = oldKey === null ? "the old key" : `the old key ${field(oldKey)}`;
  const days = gracePeriod === null ? undefined : /^(\d+)d$/.exec(gracePeriod)?.[1];
  if (days === undefined) return `${key} ends after the grace period of the service`;
  return `${key} ends ${days} ${days === "1" ? "day" : "days"} after the rotation`;
}

/** `1,012 calls: 1,000 that change something, and at least 12 that read`. */
export function callsText({ calls: { writes, reads } }: Summary): string {
  return `${number(writes + reads)} calls: ${number(writes)} that change something, and at least ${number(reads)} that read`;
}

/** `1,000 requests per hour (starter plan, standard key)` and `at least 9 min`. */
export const paceTexts = ({ paces }: Summary): (readonly [limit: string, takes: string])[] =>
  paces.map(({ names, perHour, waitSeconds }) => [
    `${perHour === null ? "no limit" : `${number(perHour)} requests per hour`} (${names.join(", ")})`,
    waitSeconds === 0 ? "no wait" : `a wait of ${duration(waitSeconds * 1_000)}`,
  ]);

/** What the key can do of it; empty without --check-key. */
export function keyTexts({ key, calls }: Summary): string[] {
  if (key === null) return [];
  const { missingScopes: missing, enough } = key;
  const needed = calls.writes + calls.reads;
  const quota =
    enough === null
      ? "The service does not say what remains of its quota."
      : `${number(key.remaining ?? 0)} of ${number(key.limit ?? 0)} requests remain${key.resetsAt === null ? "" : ` until ${key.resetsAt}`}: ${enough ? `enough for ${number(needed)} calls` : `fewer than the ${number(needed)} calls, so the run waits for more`}.`;
  return [
    missing.length === 0
      ? `Key ${key.id} has every scope that is needed.`
      : `Key ${key.id} lacks ${missing.join(", ")}.`,
    quota,
  ];
}

/** `1,012`. */
export const number = (value: number): string => value.toLocaleString("en-US");
