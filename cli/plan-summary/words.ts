/** What is said of plans, in words that Markdown and the terminal share. */
import { noun } from "../../provider/messages";
import { duration } from "../text";
import { alike, type Group } from "./alike";
import type { ObjectSummary, PlanSummary, Summary } from "./schema";

/** How a name or a value is put among words: as code, or as it is. */
type Put = (name: string) => string;

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
  const { counts, drift, moves, objects } = plan;
  const unprotected = objects.filter(({ action }) => action === "none").length;
  const parts = SECTIONS.flatMap(([action, , , words]) => {
    const { length: count } = objects.filter(
      (one) => one.action === action || (action === "import" && one.imported),
    );
    return count === 0 ? [] : [`${number(count)} ${words}`];
  });
  const { length: invoked } = plan.invocations;
  if (invoked > 0)
    parts.push(`${number(invoked)} ${invoked === 1 ? "action" : "actions"} to invoke`);
  if (plan.deferred.length > 0) parts.push(`${number(plan.deferred.length)} left to a later plan`);
  const changes = parts.length === 0 ? nothingText(plan) : parts.join(", ");
  const untouched = (counts["none"] ?? 0) - unprotected;
  return [
    changes,
    ...(untouched === 0 ? [] : [`${number(untouched)} without a change`]),
    ...(moves.length === 0 ? [] : [`${number(moves.length)} moved in the state`]),
    ...(drift.length === 0 ? [] : [`${number(drift.length)} drifted`]),
  ].join("; ");
}

/** A plan that changes something is never one with nothing to do, whoever's object it is. */
function nothingText({ others, changesState }: PlanSummary): string {
  if (others.length > 0) return "Nothing to do for erphost's objects";
  return changesState
    ? "Nothing to do in the service; only the state changes (outputs, addresses, providers or protection)"
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
export const triggerText = ({ trigger }: PlanSummary["invocations"][number], field: Put) => {
  const [, event, address = ""] = /^(\w+) of (.*)$/s.exec(trigger ?? "") ?? [];
  return event === undefined ? "invoked by itself" : `${event} of ${field(address)}`;
};

/** What is to be done by a later plan. */
export const laterWords = (action: string): string =>
  OTHER_ACTIONS.find(([name]) => name === action)?.[2] ??
  (action === "invoke" ? "to invoke" : "to read");

/** What became of an object that drifted. */
export const driftWord = (what: "changed" | "gone"): string =>
  what === "gone" ? "is gone" : "drifted";

/** What a person must know of the plan as a whole. */
export function warningsOf(plan: PlanSummary): string[] {
  const { deferred, unnamedDrift, failedChecks, complete, gap } = plan;
  const failed = failedChecks.length;
  const checks = failed === 1 ? "check of the program fails" : "checks of the program fail";
  const unnamed = `${objectsText(unnamedDrift)} drifted that this preview does not name: \`pulumi preview --refresh --json\` does.`;
  const why =
    gap === "complete: false" ? "left something out, as with -target" : "reported an error";
  return [
    ...(failed === 0 ? [] : [`${number(failed)} ${checks}.`]),
    ...(deferred.length === 0
      ? []
      : [`The engine leaves ${objectsText(deferred.length)} to a later plan.`]),
    ...(unnamedDrift === 0 ? [] : [unnamed]),
    ...(complete ? [] : [`The engine ${why}: this plan is not complete.`]),
  ];
}

/** What people should look at first, each with why. Names and values are put by `field`. */
export function risksOf(plan: PlanSummary, field: Put): string[] {
  const ours = plan.objects.flatMap((object) => {
    const whys = whysOf(object, field);
    const { address, action, kind } = object;
    const isPlain = object.risks.length === 0 && !object.protected && !object.endsProtection;
    const text = `${noun(kind)} ${whys.join("; ")}`;
    return whys.length === 0 ? [] : [{ address, action, text, isPlain }];
  });
  const others = plan.others.flatMap(({ address, action }) => {
    if (action !== "delete" && action !== "replace") return [];
    const how = action === "delete" ? "deleted" : "replaced";
    // As Pulumi has it; it may be erphost's own.
    const isProvider = address.includes("(pulumi:providers:");
    const what = isProvider ? "configuration of a provider" : "of another provider,";
    return [{ address, action, text: `${what} is ${how}`, isPlain: true }];
  });
  const order = SECTIONS.map(([action]): string => action);
  // What many deletions would hide comes before them.
  const all = [...ours, ...others].toSorted(
    (one, other) =>
      Number(one.isPlain) - Number(other.isPlain) ||
      order.indexOf(one.action) - order.indexOf(other.action),
  );
  return alike(all, ({ text }) => text).map(
    (group) => `${groupTitle(group, field)}: ${group.items[0].text}`,
  );
}

const KEYS_MAX = 10;

/** `1,000 × erphost_server.s[*] (0–999)`, or one address. */
export function groupTitle({ address, keys, items }: Group<unknown>, field: Put): string {
  if (items.length === 1) return field(address);
  const more = keys.length - KEYS_MAX;
  const named = [...keys.slice(0, KEYS_MAX).map(field), ...(more > 0 ? [`… ${more} more`] : [])];
  return `${number(items.length)} × ${field(address)} (${named.join(", ")})`;
}

/** The objects that a title leaves out. */
export const otherKeys = ({ keys }: Group<unknown>, field: Put): string =>
  keys.slice(KEYS_MAX).map(field).join(", ");

/** With these goes what they hold. */
const HOLDERS: ReadonlySet<string> = new Set(["server", "instance"]);

function whysOf(object: ObjectSummary, field: Put): string[] {
  const { action, keepsOld, forcedBy, kind } = object;
  const data = HOLDERS.has(kind) ? ", and its data goes with it" : "";
  const because = forcedBy.length === 0 ? "" : `, forced by ${forcedBy.map(field).join(", ")}`;
  const isLost = action === "delete" || action === "replace";
  return [
    ...(action === "delete" ? [`is deleted${data}`] : []),
    ...(action === "replace"
      ? [`is replaced${because}: the old one is ${keepsOld ? "kept" : `deleted${data}`}`]
      : []),
    ...(isLost && object.protected && !keepsOld
      ? ["is protected, so that the apply deletes it only where that is allowed"]
      : []),
    ...(object.endsProtection ? ["loses its protection against deletion"] : []),
    ...object.risks.map(({ what, values }) => {
      const named = values.map(field).join(", ");
      if (what === "grows") {
        return action === "create" ? `is new, and may do ${named}` : `may do more: ${named}`;
      }
      if (what === "grants") return `gives a role: ${named}`;
      return what === "opens" ? "may be used from all addresses or most" : "never ends by itself";
    }),
  ];
}

const objectsText = (count: number): string =>
  `${number(count)} ${count === 1 ? "object" : "objects"}`;

/** What is special about a change, beyond its fields. Names of fields are put by `field`. */
export function notesOf(object: ObjectSummary, field: Put): string[] {
  const { action, forcedBy, id, rotation } = object;
  return [
    ...(object.imported && action !== "import"
      ? [`imported first${id === null ? "" : ` (${field(id)})`}`]
      : []),
    ...(object.protected ? ["protected"] : []),
    ...(object.endsProtection ? ["loses its protection"] : []),
    ...(forcedBy.length === 0 ? [] : [`forced by ${forcedBy.map(field).join(", ")}`]),
    ...(object.createdFirst ? ["the new one is created first"] : []),
    ...(object.keepsOld ? ["the service keeps the old one"] : []),
    ...(rotation === null ? [] : [rotationText(rotation, field)]),
  ];
}

function rotationText({ oldKey, gracePeriod }: NonNullable<ObjectSummary["rotation"]>, field: Put) {
  const key = oldKey === null ? "the old key" : `the old key ${field(oldKey)}`;
  const days = gracePeriod === null ? undefined : /^(\d+)d$/.exec(gracePeriod)?.[1];
  if (days === undefined) return `${key} ends after the grace period of the service`;
  return `${key} ends ${days} ${days === "1" ? "day" : "days"} after the rotation`;
}

/** `Takes 1,012 calls (1,000 change something, at least 12 read); no limit makes it wait; scopes: a, b.` */
export function needsText({ calls, paces, scopes }: Summary, field: Put): string {
  const { writes, reads } = calls;
  const waits = paces.filter(({ waitSeconds }) => waitSeconds > 0);
  const named = scopes.map(({ scope }) => field(scope)).join(", ");
  return [
    `Takes ${number(writes + reads)} calls (${number(writes)} change something, at least ${number(reads)} read)`,
    waits.length === 0 ? "no limit makes it wait" : waits.map(paceText).join(", "),
    ...(named === "" ? [] : [`scopes: ${named}`]),
  ].join("; ");
}

/** `waits 9 min with 1,000 requests per hour and its burst (starter plan)`: either may be what waits. */
const paceText = ({ names, perHour, waitSeconds }: Summary["paces"][number]): string =>
  `waits ${duration(waitSeconds * 1_000)} with ${number(perHour ?? 0)} requests per hour and its burst (${names.join(", ")})`;

/** What the key can do of it; empty without --check-key. */
export function keyTexts({ key, calls }: Summary): string[] {
  if (key === null) return [];
  const { missingScopes: missing, enough } = key;
  const needed = calls.writes + calls.reads;
  const quota =
    enough === null
      ? "The service names no quota of the key."
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
