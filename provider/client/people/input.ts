/** What a program passes to `create`, `update` and `list`, checked before any call. */
import { camel, encodeBody, InvalidInput, isRecord, issueAt, listFiltersOf } from "../../contract";
import { listParameters, onceFor, ownedProperties, parse, shapeOf, toSnake } from "../../contract";
import type { Field, InputIssue, ResolvedResource, Shape, Values } from "../../contract";
import { strangeNames } from "../../settings";
import type { z } from "zod";

/** camelCase name → contract name and field; built once per resource. */
const fieldsByCamel = onceFor(
  ({ definition }: ResolvedResource): ReadonlyMap<string, [string, Field]> =>
    new Map(Object.entries(definition.fields).map(([name, field]) => [camel(name), [name, field]])),
);

/**
 * Refuses names that nothing reads: an option that is ignored silently is a surprise.
 * @throws InvalidInput with one sentence for each, and the nearest name there is.
 */
export function checkNames(subject: string, given: object, known: readonly string[]): void {
  const issues = strangeNames(given, known);
  if (issues.length > 0) throw new InvalidInput(subject, issues);
}

/** The same for the options of a call; `more` are those that not every call has. */
export const checkOptions = (
  subject: string,
  options: object = {},
  more: readonly string[] = [],
): void => {
  checkNames(subject, options, ["signal", "stop", "timeoutMs", "onNotice", ...more]);
};

/** A body under wire names. @throws InvalidInput with one sentence per fault */
export function bodyFrom(
  resource: ResolvedResource,
  input: unknown,
  operation: "create" | "update",
): Values {
  const subject = `${operation} ${resource.definition.name}`;
  if (!isRecord(input)) {
    throw new InvalidInput(subject, [issueAt([], "wrong_type", { type: "object" })]);
  }
  const { properties, ...members } = input;
  const { fields, issues } = fieldsFrom(resource, members, operation);
  if (operation === "create") issues.push(...missing(resource, members, issues));
  if (isRecord(properties)) issues.push(...ownedProperties(resource, properties, camel));
  else if (properties !== undefined) {
    issues.push(issueAt(["properties"], "wrong_type", { type: "object" }));
  }
  if (issues.length > 0) throw new InvalidInput(subject, issues);
  return encodeBody(resource, fields, isRecord(properties) ? properties : undefined);
}

/** Known fields under contract names, and what is wrong with the members that were passed. */
function fieldsFrom(
  resource: ResolvedResource,
  members: Values,
  operation: "create" | "update",
): { fields: Record<string, unknown>; issues: InputIssue[] } {
  const issues: InputIssue[] = [];
  const fields: Record<string, unknown> = {};
  const known = fieldsByCamel(resource);
  const renamed = toSnake(resource.definition.fields, members);
  for (const [key, value] of Object.entries(members)) {
    if (value === undefined) continue;
    const [name, field] = known.get(key) ?? [];
    if (name === undefined || field === undefined) {
      issues.push(unknownField(key, known));
    } else if (field.use === "output") {
      issues.push(issueAt([key], "decided_by_service", {}));
    } else if (operation === "update" && field.immutable) {
      issues.push(issueAt([key], "immutable", {}));
    } else {
      const wire = renamed[name];
      issues.push(...strangers(shapeOf(field.schema), wire, [key]));
      issues.push(...faultsOf(field.schema, wire, key));
      fields[name] = wire;
    }
  }
  return { fields, issues };
}

/** Required fields that are absent, unless something else is already wrong with them. */
function missing(
  resource: ResolvedResource,
  members: Values,
  issues: readonly InputIssue[],
): InputIssue[] {
  return [...fieldsByCamel(resource)].flatMap(([key, [, { use }]]) => {
    const isAbsent = members[key] === undefined || members[key] === null;
    if (use !== "required" || !isAbsent || issues.some(({ path }) => path[0] === key)) return [];
    return [issueAt([key], "required", {})];
  });
}

function unknownField(key: string, known: ReadonlyMap<string, [string, Field]>): InputIssue {
  const meant = known.has(camel(key)) ? camel(key) : undefined;
  if (meant !== undefined) return issueAt([key], "misspelled_field", { meant });
  const settable = [...known].filter(([, [, { use }]]) => use !== "output").map(([name]) => name);
  return issueAt([key], "unknown_field", { known: settable });
}

/** Members of known objects that no shape names; zod would drop them silently. */
function strangers(shape: Shape, value: unknown, path: (string | number)[]): InputIssue[] {
  if (shape.kind === "list" && Array.isArray(value)) {
    return value.flatMap((element, index) => strangers(shape.of, element, [...path, index]));
  }
  if (shape.kind !== "object" || !isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
    if (field) return strangers(field.shape, inner, [...path, camel(key)]);
    const members = Object.keys(shape.fields).map(camel);
    return [issueAt([...path, key], "unknown_member", { known: members })];
  });
}

function faultsOf(schema: z.ZodType, value: unknown, key: string): InputIssue[] {
  const parsed = parse(schema, value);
  if (parsed.success) return [];
  return parsed.issues.map((issue) => ({
    ...issue,
    path: [key, ...issue.path.map((part) => (typeof part === "string" ? camel(part) : part))],
  }));
}

export interface ListRequest {
  readonly page: number;
  readonly perPage: number | undefined;
  /** Sort and filters under wire names. */
  readonly query: Readonly<Record<string, string>>;
}

/** List parameters and filters, under wire names. @throws InvalidInput with a sentence per fault */
export function listRequest(resource: ResolvedResource, input: unknown): ListRequest {
  const subject = `list ${resource.definition.plural}`;
  if (!isRecord(input)) {
    throw new InvalidInput(subject, [issueAt([], "wrong_type", { type: "object" })]);
  }
  const issues: InputIssue[] = [];
  const query: Record<string, string> = {};
  const filters = filtersOf(resource);
  const known = fieldsByCamel(resource);
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const parameter = parameters.get(key);
    const filter = filters.get(key);
    const schema = parameter?.schema ?? filter?.schema;
    if (schema === undefined) {
      const names = [...parameters.keys(), ...filters.keys()];
      issues.push(issueAt([key], "unknown_parameter", { known: names }));
      continue;
    }
    const faults = faultsOf(schema, value, key);
    issues.push(...faults);
    if (faults.length > 0) continue;
    const name = parameter?.name ?? filter?.name ?? key;
    if (name === "page" || name === "per_page") continue;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const field = key === "sort" ? known.get(text)?.[0] : undefined;
    query[name] = field === undefined ? text : (resource.wireNames[field] ?? field);
  }
  if (issues.length > 0) throw new InvalidInput(subject, issues);
  const { page, perPage } = input;
  return {
    page: typeof page === "number" ? page : 1,
    perPage: typeof perPage === "number" ? perPage : undefined,
    query,
  };
}

interface Parameter {
  readonly name: string;
  readonly schema: z.ZodType;
}

const parameters: ReadonlyMap<string, Parameter> = new Map(
  Object.entries(listParameters).map(([name, { schema }]) => [camel(name), { name, schema }]),
);

const filtersOf = ({ definition, wireNames }: ResolvedResource): Map<string, Parameter> =>
  new Map(
    listFiltersOf(definition).map(({ name, schema, field }) => [
      camel(name),
      { name: (field && wireNames[name]) ?? name, schema },
    ]),
  );
