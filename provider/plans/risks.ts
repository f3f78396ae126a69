/** What people should look at first in a change, beyond what is deleted or loses its protection. */
import { expandScopes, isAdmin, isRecord, isWildcard, type Values } from "../contract";
import { HIDDEN, UNKNOWN_VALUE, type Action, type PlannedObject } from "./plan";

export const RISKS = ["grows", "grants", "opens", "endless"] as const;

export interface Risk {
  /**
   * `grows`: a key may do more than before, or is a new one; `grants`: somebody gets a role in a team;
   * `opens`: a key may be used from everywhere; `endless`: it never expires and is not rotated.
   */
  readonly what: (typeof RISKS)[number];
  /** What it may do, or who gets which role. */
  readonly values: readonly string[];
}

/** Actions after which there is an object as the plan has it. */
const SETTING: ReadonlySet<Action> = new Set(["create", "update", "replace", "rotate"]);

/** What its action and its protection do not say. */
export function risksOf({ kind, action, before, after }: PlannedObject): Risk[] {
  if (after === undefined || !SETTING.has(action)) return [];
  if (kind === "api_key") return keyRisks(before, after);
  return kind === "team" ? teamRisks(before, after) : [];
}

function keyRisks(before: Values | undefined, after: Values): Risk[] {
  const [had, has] = [textsOf(before?.["permissions"]), textsOf(after["permissions"])];
  const more = has.filter((permission) => permission === SECRET || !isWithin(permission, had));
  const [from, to] = [before, after].map((values) => textsOf(values?.["ip_whitelist"]));
  const isOpened =
    before !== undefined && !isOpen(from) && (isOpen(to) || to?.includes(SECRET) === true);
  const isEndless =
    ends(after) === undefined && (before === undefined || ends(before) !== undefined);
  return [
    ...(more.length > 0 ? [{ what: "grows", values: more } as const] : []),
    ...(isOpened ? [{ what: "opens", values: [] } as const] : []),
    ...(isEndless ? [{ what: "endless", values: [] } as const] : []),
  ];
}

/** Whether a key could do that before. A wildcard stands for what comes later as well. */
function isWithin(permission: string, had: readonly string[]): boolean {
  if (had.includes(permission) || had.some(isAdmin)) return true;
  const given = expandScopes(had);
  return !isWildcard(permission) && [...expandScopes([permission])].every((one) => given.has(one));
}

/** Whether a list lets in more than half of all addresses, be it in several ranges. */
const isOpen = (list: readonly string[] = []): boolean =>
  list.length === 0 ||
  [true, false].some((isLong) => {
    const ranges = [...new Set(list)].filter((range) => range.includes(":") === isLong);
    const sizes = ranges.map((range) => 2 ** -Number(/\/(\d+)$/.exec(range)?.[1] ?? 128));
    return sizes.reduce((sum, size) => sum + size, 0) > 0.5;
  });

/** What ends a key by itself; undefined where nothing does. */
const ends = (key: Values): unknown =>
  key["expires_at"] ?? key["rotate_after"] ?? (key["auto_rotate"] === true ? true : undefined);

/** A role that nobody knows of a member is none. */
function teamRisks(before: Values | undefined, after: Values): Risk[] {
  const had = rolesOf(before);
  const values = [...rolesOf(after)].flatMap(([email, role]) =>
    role !== SECRET && (role === had.get(email) || role === MEMBER) ? [] : [`${email}: ${role}`],
  );
  return values.length > 0 ? [{ what: "grants", values }] : [];
}

/** The role that every member of a team has. */
const MEMBER = "member";

function rolesOf(team: Values | undefined): Map<string, string> {
  const members = [team?.["members"]].flat().map((each) => (each === HIDDEN ? ALL_HIDDEN : each));
  return new Map(
    members.filter(isRecord).map(({ email, role = MEMBER }) => [textOf(email), textOf(role)]),
  );
}

const ALL_HIDDEN = { email: HIDDEN, role: HIDDEN };

const textsOf = (value: unknown): string[] => {
  if (value === UNKNOWN_VALUE || value === HIDDEN) return [textOf(value)];
  return Array.isArray(value) ? value.map(textOf) : [];
};

const textOf = (value: unknown): string => {
  if (value === UNKNOWN_VALUE) return "(known after apply)";
  return typeof value === "string" ? value : value === null ? MEMBER : SECRET;
};

const SECRET = "(secret)";
