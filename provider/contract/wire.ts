/** Between contract names and the wire: bodies out, records in. */
import { isVisible, message, type Message } from "../messages";
import type { ResolvedResource } from "./contract";
import { issueAt, type InputIssue } from "./input/invalid-input";
import { shapeOf, type Shape } from "./definition/shape";
import { isRecord, onceFor, type Values } from "./definition/values";

/** One record as the service answered it: known fields by contract name, the rest apart. */
export interface ServiceRecord {
  readonly id: string;
  /** Known fields that the service gave; null counts as absent. `id` is among them. */
  readonly fields: Values;
  /** Fields that no typed field owns, as they came. */
  readonly properties: Values;
}

/** A record that can't be used, and why. */
export interface OddRecord {
  readonly id: string | undefined;
  readonly problem: Message;
}

/** Known fields and `properties` as one body, under wire names. */
export function encodeBody(
  resource: ResolvedResource,
  fields: Values,
  properties: Values = {},
): Values {
  const body: Record<string, unknown> = { ...properties };
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) body[resource.wireNames[name] ?? name] = value;
  }
  return body;
}

/**
 * `properties` keys that belong to a field, or that cannot be sent. `nameOf` gives the name of a
 * field where the issue is read; default the contract's.
 */
export function ownedProperties(
  resource: ResolvedResource,
  properties: Values,
  nameOf = (field: string): string => field,
): InputIssue[] {
  const owners = new Map(Object.entries(resource.wireNames).map(([name, wire]) => [wire, name]));
  for (const name of Object.keys(resource.wireNames)) owners.set(name, name);
  return Object.keys(properties).flatMap((key) => {
    const owner = owners.get(key);
    if (owner === undefined) return [];
    const path = ["properties", key];
    return resource.definition.fields[owner]?.use === "output"
      ? [issueAt(path, "decided_by_service", {})]
      : [issueAt(path, "owned_by_field", { owner: nameOf(owner) })];
  });
}

/**
 * Reads a record leniently: an id and the shapes of known fields must be right, formats need not,
 * and a field that is absent or null is left out.
 */
export function decodeRecord(
  resource: ResolvedResource,
  answer: unknown,
): ServiceRecord | OddRecord {
  if (!isRecord(answer)) return { id: undefined, problem: message("record_not_object", {}) };
  const id = answer["id"];
  if (typeof id !== "string" || id === "") {
    return { id: undefined, problem: message("record_without_id", {}) };
  }
  if (!isVisible(id)) return { id, problem: message("record_id_unsafe", {}) };
  const { fields: known, wires } = planOf(resource);
  const fields: Record<string, unknown> = {};
  for (const { name, wire, shape } of known) {
    const value = answer[wire];
    if (value === undefined || value === null) continue;
    const problem = shape && misfit(value, shape, wire);
    if (problem) return { id, problem };
    fields[name] = value;
  }
  fields["id"] = id;
  const free = Object.keys(answer).filter((key) => !wires.has(key));
  const properties = Object.fromEntries(free.map((key) => [key, answer[key]]));
  return { id, fields, properties };
}

/** How a resource's records are read: made once, because a list may have ten thousand of them. */
interface Plan {
  readonly fields: readonly {
    readonly name: string;
    readonly wire: string;
    readonly shape: Shape | undefined;
  }[];
  readonly wires: ReadonlySet<string>;
}

const planOf = onceFor((resource: ResolvedResource): Plan => {
  const fields = Object.entries(resource.wireNames).map(([name, wire]) => {
    const { schema } = resource.definition.fields[name] ?? {};
    return { name, wire, shape: schema && shapeOf(schema) };
  });
  return { fields, wires: new Set(fields.map(({ wire }) => wire)) };
});

export const isOdd = (read: ServiceRecord | OddRecord): read is OddRecord => "problem" in read;

/** What keeps a value from having the shape, at the place named; undefined where it has it. */
export function misfit(value: unknown, shape: Shape, at: string): Message | undefined {
  const wrong = (type: string): Message => message("record_value", { at, type });
  switch (shape.kind) {
    case "any":
      return undefined;
    case "integer":
      return Number.isInteger(value) ? undefined : wrong("integer");
    case "string":
    case "number":
    case "boolean":
      return typeof value === shape.kind ? undefined : wrong(shape.kind);
    case "list":
      return Array.isArray(value) ? firstMisfit(value, shape.of, at) : wrong("list");
    case "map":
      return isRecord(value) ? firstMisfit(Object.values(value), shape.of, at) : wrong("object");
    case "object":
      return isRecord(value) ? memberMisfit(value, shape.fields, at) : wrong("object");
  }
}

function firstMisfit(values: readonly unknown[], shape: Shape, at: string): Message | undefined {
  for (const value of values) {
    const problem = misfit(value, shape, at);
    if (problem) return problem;
  }
  return undefined;
}

function memberMisfit(
  value: Values,
  fields: Extract<Shape, { kind: "object" }>["fields"],
  at: string,
): Message | undefined {
  for (const [name, { shape, required }] of Object.entries(fields)) {
    const member = value[name];
    if (member === undefined || member === null) {
      if (required) return message("record_member", { at, member: name });
      continue;
    }
    const problem = misfit(member, shape, `${at}.${name}`);
    if (problem) return problem;
  }
  return undefined;
}
