/** Inputs of a program, checked before any call. Unknown values pass, and are checked when known. */
import {
  isRecord,
  issueAt,
  ownedProperties,
  parse,
  type Contract,
  type InputIssue,
  type Values,
} from "../../contract";
import { message, nearest } from "../../messages";
import { BAGS, type Kind, type KindField } from "../../resources";
import { engineError } from "../errors";
import type { Checked, Scope } from "../types";
import { hasUnknown, present, UNKNOWN } from "../values/compare";
import type { Seen } from "./seen";

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

/** Members of a keyed set are one per key. */
function sameKeys(name: string, key: string, list: readonly unknown[]): InputIssue[] {
  const keys = list.map((element) => (isRecord(element) ? element[key] : undefined));
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

/** The last line behind the faces, which check first. @throws EngineError `invalid_input` */
export function validInputs({ contract, kind }: Scope, declared: Values): Values {
  const { inputs, issues } = check(contract, kind, declared);
  const about = { subject: { kind: kind.name }, path: issues[0]?.path };
  if (issues.length > 0) throw engineError("invalid_input", { issues }, about);
  if (!hasUnknown(inputs)) return inputs;
  throw engineError("invalid_input", { issues: [message("still_unknown", { kind: kind.name })] });
}

/** Checks the inputs of a declaration that was shown: its key may have another rotator. */
export function checkDeclared({ contract, kind, rotated }: Seen, declared: Values): Checked {
  const checked = check(contract, kind, declared);
  return rotated ? { ...checked, issues: [...checked.issues, rotated] } : checked;
}
