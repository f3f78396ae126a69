/** What people should look at first in a change, beyond what is deleted or loses its protection. */
import { isRecord, type Values } from "../contract";
import { UNKNOWN_VALUE, type Action, type PlannedObject } from "./plan";

/** Why people should look at a change before the others. */
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
  const more = has.filter((permission) => !had.includes(permission));
  const everywhere = (values: Values | undefined): boolean => {
    const list = textsOf(values?.["ip_whitelist"]);
    return list.length === 0 || list.some((range) => /\/0+$/.test(range));
  };
  const isOpened = before !== undefined && !everywhere(before) && everywhere(after);
  const isEndless =
    ends(after) === undefined && (before === undefined || ends(before) !== undefined);
  return [
    ...(more.length > 0 ? [{ what: "grows", values: more } as const] : []),
    ...(isOpened ? [{ what: "opens", values: [] } as const] : []),
    ...(isEndless ? [{ what: "endless", values: [] } as const] : []),
  ];
}

/** What ends a key by itself; undefined where nothing does. */
const ends = (key: Values): unknown =>
  key["expires_at"] ?? key["rotate_after"] ?? (key["auto_rotate"] === true ? true : undefined);

/** A role that nobody knows of a member is none. */
function teamRisks(before: Values | undefined, after: Values): Risk[] {
  const had = rolesOf(before);
  const values = [...rolesOf(after)].flatMap(([email, role]) =>
    role === had.get(email) || role === MEMBER ? [] : [`${email}: ${role}`],
  );
  return values.length > 0 ? [{ what: "grants", values }] : [];
}

/** The role that every member of a team has. */
const MEMBER = "member";

function rolesOf(team: Values | undefined): Map<string, string> {
  const members: readonly unknown[] = Array.isArray(team?.["members"]) ? team["members"] : [];
  return new Map(
    members.filter(isRecord).map(({ email, role = MEMBER }) => [textOf(email), textOf(role)]),
  );
}

const textsOf = (value: unknown): string[] => {
  if (value === UNKNOWN_VALUE) return [textOf(value)];
  return Array.isArray(value) ? value.map(textOf) : [];
};

const textOf = (value: unknown): string => {
  if (value === UNKNOWN_VALUE) return "(known after apply)";
  return typeof value === "string" ? value : value === null ? MEMBER : "(secret)";
};
