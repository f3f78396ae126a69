/** A program's inputs: what is not known of them, what is wrong, and what it would write of an object. */
import { isRecord, issueAt, ownedProperties, ownMember, parse, shapeOf } from "../contract";
import type { Contract, InputIssue, Shape, Values } from "../contract";
import { nearest } from "../messages";
import type { Kind, KindField } from "./define";

/** The inputs that hold a program's free fields. */
export const BAGS: readonly string[] = ["properties", "secret_properties"];

/** Whether a field is sent to the service: one of its own, or a free one. */
export const isSent = (kind: Kind, name: string): boolean =>
  kind.fields[name]?.origin === "service" || BAGS.includes(name);

/** A value that is not known while planning; faces translate their own mark to it and back. */
export const UNKNOWN: unique symbol = Symbol.for("erphost.unknown");

/** Whether a value is unknown or holds something unknown, at any depth. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasUnknown);
}

/** Values without members that are absent: hosts have no undefined. */
export const present = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null),
  );

/** The outcome of a check. Inputs come back without members that were left out. */
export interface Checked {
  readonly inputs: Values;
  readonly issues: readonly InputIssue[];
}

/** Checks all inputs of one object. Members that are undefined or null count as left out. */
export function check(contract: Contract, kind: Kind, declared: Values): Checked {
  const inputs = present(declared);
  const known = kind.inputs.map(([name]) => name);
  const issues: InputIssue[] = [];
  for (const name of Object.keys(inputs)) {
    if (known.includes(name)) continue;
    const strange = { kind: kind.name, near: nearest(name, known), known };
    issues.push(
      Object.hasOwn(kind.fields, name)
        ? issueAt([name], "decided_by_service", {})
        : issueAt([name], "unknown_input", strange),
    );
  }
  for (const [name, field] of kind.inputs) {
    const value = inputs[name];
    issues.push(...fieldIssues(name, field, value));
    if (kind.resource && BAGS.includes(name) && isRecord(value)) {
      const owned = ownedProperties(contract.resources[kind.resource], value);
      issues.push(...owned.map((issue) => ({ ...issue, path: [name, ...issue.path.slice(1)] })));
    }
  }
  if (isRecord(inputs["secret_properties"])) issues.push(...givenTwice(inputs));
  if (kind.exactlyOne) issues.push(...oneOf(kind.exactlyOne, inputs));
  if (kind.reading.rotates === "own-key") issues.push(...rotators(inputs));
  return { inputs, issues };
}

function fieldIssues(name: string, { schema, ...field }: KindField, value: unknown): InputIssue[] {
  if (value === undefined) return field.use === "required" ? [issueAt([name], "required", {})] : [];
  if (value === UNKNOWN) return [];
  const parsed = parse(schema, value);
  const shapes = parsed.success ? [] : parsed.issues.filter(({ path }) => isKnown(value, path));
  const issues = shapes.map((issue) => {
    const path = [name, ...issue.path];
    // A schema's message may repeat the value, which a secret one must not.
    return field.secret ? issueAt(path, "wrong_shape", {}) : { ...issue, path };
  });
  const { key } = field;
  return key !== undefined && Array.isArray(value)
    ? [...issues, ...sameKeys(name, key, value)]
    : issues;
}

function isKnown(value: unknown, path: InputIssue["path"]): boolean {
  let inner = value;
  for (const key of path) {
    const isInside = Array.isArray(inner) || isRecord(inner);
    // A path that zod took from this value.
    inner = isInside ? (inner as Record<string | number, unknown>)[key] : undefined;
  }
  return inner !== UNKNOWN;
}

/** Members of a keyed set are one per key, whatever its case. */
function sameKeys(name: string, key: string, list: readonly unknown[]): InputIssue[] {
  const keys = list.map((element) => {
    const value = isRecord(element) ? element[key] : undefined;
    return typeof value === "string" ? value.toLowerCase() : value;
  });
  return keys.flatMap((value, index): InputIssue[] => {
    const first = keys.indexOf(value);
    return first === index || value === undefined || value === UNKNOWN
      ? []
      : [issueAt([name, index, key], "same_key", { other: [name, first] })];
  });
}

function givenTwice({ properties: open, secret_properties: secret }: Values): InputIssue[] {
  if (!isRecord(open) || !isRecord(secret)) return [];
  return Object.keys(open)
    .filter((key) => Object.hasOwn(secret, key))
    .map((key) => issueAt(["secret_properties", key], "secret_and_open", {}));
}

function oneOf(choice: readonly string[], inputs: Values): InputIssue[] {
  const chosen = choice.filter((name) => inputs[name] !== undefined);
  const isOpen = chosen.length > 1 && chosen.some((name) => hasUnknown(inputs[name]));
  if (chosen.length === 1 || isOpen) return [];
  return [issueAt([chosen[1] ?? choice[0] ?? ""], "exactly_one", { choice })];
}

/** One rotator per key: the program's rotation and the service's own exclude each other. */
function rotators(inputs: Values): InputIssue[] {
  const ours = ["triggers", "rotate_after"].find((name) => inputs[name] !== undefined);
  const theirs = ["auto_rotate", "rotation_enabled"].find((name) => inputs[name] === true);
  if (ours === undefined || theirs === undefined) return [];
  return [issueAt([ours], "rotated_by_service", { ours, theirs })];
}

/**
 * The inputs that a program declares to have an object as it is: no secret, and nothing that means
 * the same as leaving it out. Free fields are left out too, because some are the service's own.
 */
export function declaredInputs(kind: Kind, shown: Values): Values {
  const inputs = kind.inputs.flatMap(([name, field]) => {
    if (field.origin !== "service" || field.secret === true) return [];
    const value = knownPart(shown[name], shapeOf(field.schema));
    const isNothing = value === undefined || (field.use === "optional" && isDefault(value));
    return isNothing ? [] : [[name, value] as const];
  });
  // Of fields that exclude each other the first: the service may show what follows from it as well.
  const [, ...others] = inputs.filter(([name]) => kind.exactlyOne?.includes(name));
  return Object.fromEntries(inputs.filter((each) => !others.includes(each)));
}

/** What is the same as leaving it out: nobody would write it. */
const isDefault = (value: unknown): boolean =>
  value === false ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0);

/** The part of a value that the definition knows: the service may show more of an object. */
function knownPart(value: unknown, shape: Shape): unknown {
  if (value === undefined || value === null) return undefined;
  if (shape.kind === "list" && Array.isArray(value)) {
    return value.map((each: unknown) => knownPart(each, shape.of));
  }
  if (shape.kind !== "object" || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(shape.fields).flatMap(([name, member]) => {
      const inner = knownPart(ownMember(value, name), member.shape);
      return inner === undefined ? [] : [[name, inner] as const];
    }),
  );
}
