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
import type { Kind } from "../../resources";
import { engineError } from "../errors";
import type { Checked, Scope } from "../types";
import type { Seen } from "./seen";
import { hasUnknown, isUnknown } from "../values/unknown";

/** Checks all inputs of one object. Members that are undefined or null count as left out. */
export function check(contract: Contract, kind: Kind, declared: Values): Checked {
  const inputs = Object.fromEntries(
    Object.entries(declared).filter(([, value]) => value !== undefined && value !== null),
  );
  return {
    inputs,
    issues: [
      ...names(kind, inputs),
      ...shapes(kind, inputs),
      ...properties(contract, kind, inputs),
      ...oneOf(kind, inputs),
      ...members(kind, inputs),
      ...rotation(kind, inputs),
    ],
  };
}

function names(kind: Kind, inputs: Values): InputIssue[] {
  const known = kind.inputs.map(([name]) => name);
  const odd = Object.keys(inputs).filter((name) => !known.includes(name));
  const missing = kind.inputs
    .filter(([name, field]) => field.use === "required" && inputs[name] === undefined)
    .map(([name]) => issueAt([name], "required", {}));
  return [
    ...odd.map((name) => {
      return kind.fields[name] === undefined
        ? issueAt([name], "unknown_input", { kind: kind.name, near: nearest(name, known), known })
        : issueAt([name], "decided_by_service", {});
    }),
    ...missing,
  ];
}

function shapes(kind: Kind, inputs: Values): InputIssue[] {
  return kind.inputs.flatMap(([name, field]) => {
    const value = inputs[name];
    if (value === undefined || isUnknown(value)) return [];
    const parsed = parse(field.schema, value);
    if (parsed.success) return [];
    return parsed.issues
      .filter(({ path }) => !isUnknown(at(value, path)))
      .map((issue) => {
        const path = [name, ...issue.path];
        // A schema's message may repeat the value, which a secret one must not.
        return field.secret ? issueAt(path, "wrong_shape", {}) : { ...issue, path };
      });
  });
}

const at = (value: unknown, path: InputIssue["path"]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      Array.isArray(inner) || isRecord(inner)
        ? (inner as Record<string | number, unknown>)[key] // A path that zod took from this value.
        : undefined,
    value,
  );

function properties(contract: Contract, kind: Kind, inputs: Values): InputIssue[] {
  if (kind.resource === undefined) return [];
  const resource = contract.resources[kind.resource];
  const open = isRecord(inputs["properties"]) ? inputs["properties"] : {};
  const secret = isRecord(inputs["secret_properties"]) ? inputs["secret_properties"] : {};
  const inSecret = ownedProperties(resource, secret).map((issue) => ({
    ...issue,
    path: ["secret_properties", ...issue.path.slice(1)],
  }));
  const twice = Object.keys(open)
    .filter((key) => Object.hasOwn(secret, key))
    .map((key) => issueAt(["secret_properties", key], "secret_and_open", {}));
  return [...ownedProperties(resource, open), ...inSecret, ...twice];
}

function oneOf(kind: Kind, inputs: Values): InputIssue[] {
  const choice = kind.exactlyOne;
  if (!choice) return [];
  const chosen = choice.filter((name) => inputs[name] !== undefined);
  if (
    chosen.length === 1 ||
    (chosen.length > 1 && chosen.some((name) => hasUnknown(inputs[name])))
  ) {
    return [];
  }
  const path = [chosen[1] ?? choice[0] ?? ""];
  return [issueAt(path, "exactly_one", { choice })];
}

/** Members of a keyed set are one per key. */
function members(kind: Kind, inputs: Values): InputIssue[] {
  return kind.inputs.flatMap(([name, { key }]) => {
    const list = inputs[name];
    if (key === undefined || !Array.isArray(list)) return [];
    const keys = list.map((element: unknown) => (isRecord(element) ? element[key] : undefined));
    return keys.flatMap((value, index): InputIssue[] => {
      const first = keys.indexOf(value);
      return first === index || value === undefined || isUnknown(value)
        ? []
        : [issueAt([name, index, key], "same_key", { other: [name, first] })];
    });
  });
}

/** One rotator per key: the program's rotation and the service's own exclude each other. */
function rotation(kind: Kind, inputs: Values): InputIssue[] {
  if (kind.reading.rotates !== "own-key") return [];
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
