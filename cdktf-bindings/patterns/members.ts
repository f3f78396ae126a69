/** What fleets have in common: members by id, with props that all of them share. */
import type { Construct } from "constructs";
import { message } from "../../provider/messages";
import { withoutUndefined } from "../constructs/declared";
import { defaultName, isKnownOnlyLater } from "../constructs/identity";
import { merged } from "../properties";
import { sentenceOf } from "../voice";

/** A member as its fleet declares it. */
export interface Member<P> {
  /** What its fleet calls it: its id, or else its name. */
  readonly key: string;
  /** The id of its construct. */
  readonly id: string;
  readonly props: Omit<P, "id"> & { readonly name: string };
}

/**
 * The members of a fleet, once each; synthesis refuses one that is listed twice.
 * @param prop that lists them
 * @param given ids or props, which have a name or an id; in JavaScript it may be missing, which
 *   synthesis refuses too
 * @throws Error if the id of a member is known only when Terraform runs
 */
export function membersOf<P extends { readonly name?: string; readonly id?: string }>(
  fleet: Construct,
  prop: string,
  given: readonly (string | P)[] | undefined,
): readonly Member<P>[] {
  const members = new Map<string, Member<P>>();
  const twice = new Set<string>();
  const nameless: number[] = [];
  // In JavaScript it may be anything.
  const isList: boolean = Array.isArray(given);
  for (const [index, member] of (isList && given ? given : []).entries()) {
    // An id alone is all that is required.
    const whole = typeof member === "string" ? ({ id: member } as P) : member;
    const { id: own, ...props } = whole;
    const key = own ?? props.name ?? "";
    if (own === undefined && props.name === undefined) nameless.push(index);
    if (typeof member === "string" || own === undefined)
      assertNameIsKnown(fleet, key, [prop, index]);
    const name = props.name ?? defaultName(fleet, key);
    if (members.has(key)) twice.add(key);
    else members.set(key, { key, id: idOf(key), props: { ...props, name } });
  }
  const path = [prop];
  const missing =
    given === undefined
      ? message("required", {}, { path })
      : message("wrong_type", { type: "list" }, { path });
  const faults = [
    ...(isList ? [] : [missing]),
    ...nameless.map((index) => message("required", {}, { path: [prop, index, "id"] })),
    ...[...twice].map((id) => message("fleet_id_twice", { id }, { path: [prop] })),
  ];
  fleet.node.addValidation({ validate: () => faults.map(sentenceOf) });
  return [...members.values()];
}

interface WithProperties {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly secretProperties?: Readonly<Record<string, string>>;
}

/** A member's props with those that all share: its own win, of properties key by key. */
export function withCommon<C extends WithProperties, P extends WithProperties>(
  common: C,
  own: P,
): C & P {
  const properties = merged(common.properties, own.properties);
  const secretProperties = merged(common.secretProperties, own.secretProperties);
  return withoutUndefined({
    ...withoutUndefined(common),
    ...withoutUndefined(own),
    ...(properties && { properties }),
    // Strings, as both are.
    ...(secretProperties && { secretProperties: secretProperties as Record<string, string> }),
  });
}

/** A name is an id here, and an id that changes from run to run would replace the object. */
function assertNameIsKnown(fleet: Construct, name: string, path: readonly [string, number]): void {
  if (!isKnownOnlyLater(name)) return;
  const fault = message("fleet_name_unknown", {}, { path });
  throw new Error(`[${fleet.node.path}] ${sentenceOf(fault)}`);
}

/** A slash separates the parts of a path, and an empty id means the parent construct. */
const idOf = (name: string): string =>
  name === "" ? "(no name)" : name.replace(/[%/]/g, encodeURIComponent);
