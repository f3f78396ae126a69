/** Reading without managing: lists with filters, one object, the key in use. */
import type { CallOptions, Core } from "../../client";
import {
  authView,
  InvalidInput,
  issueAt,
  parse,
  resources,
  type AuthView,
  type InputIssue,
  type Resource,
  type ResourceName,
  type ServiceRecord,
  type Values,
} from "../../contract";
import { engineError } from "../errors";
import { nearest } from "../planning/did-you-mean";
import { createdMs } from "../rotation/line";

/** Filters that a list takes, and how: on the shared walk, or by the service. */
export const filtersOf = (resource: Resource): Map<string, "equality" | "service"> =>
  new Map([
    ...Object.entries(resource.fields).flatMap(([name, { filter }]) =>
      filter ? [[name, filter] as const] : [],
    ),
    ...Object.keys(resource.filters ?? {}).map((name) => [name, "service"] as const),
  ]);

/**
 * Lookups at a program's start share a walk. One that waited until another process of the same run
 * created an object still sees it.
 */
const LOOKUP_MAX_AGE_MS = 1_000;

/** All records of a list that match the filters. */
export async function lookupList(
  core: Core,
  name: ResourceName,
  query: Values,
  options: CallOptions = {},
): Promise<ServiceRecord[]> {
  const wanted = Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== null),
  );
  const filters = filtersOf(resources[name]);
  const issues = badFilters(resources[name], wanted, filters);
  if (issues.length > 0) {
    throw new InvalidInput(name, issues);
  }
  if (Object.keys(wanted).some((key) => filters.get(key) === "service")) {
    return core.list(name, wanted, options);
  }
  const snapshot = await core.snapshot(name, {
    ...options,
    maxAgeMs: LOOKUP_MAX_AGE_MS,
  });
  return [...snapshot.records.values()].filter((record) =>
    Object.entries(wanted).every(([key, value]) => record.fields[key] === value),
  );
}

function badFilters(
  resource: Resource,
  wanted: Values,
  filters: ReadonlyMap<string, unknown>,
): InputIssue[] {
  return Object.entries(wanted).flatMap(([name, value]): InputIssue[] => {
    if (!filters.has(name)) {
      const known = [...filters.keys()];
      return [issueAt([name], "unknown_filter", { known, near: nearest(name, known) })];
    }
    const schema = resource.filters?.[name]?.schema ?? resource.fields[name]?.schema;
    const parsed = schema && parse(schema, value);
    return parsed?.success === false
      ? parsed.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }))
      : [];
  });
}

/** One record by id or by name; absent and ambiguous are errors. */
export async function lookupOne(
  core: Core,
  name: ResourceName,
  by: { readonly id?: unknown; readonly name?: unknown },
  options: CallOptions = {},
): Promise<ServiceRecord> {
  const wanted = Object.entries(by).filter(([, value]) => typeof value === "string");
  const [criterion] = wanted;
  if (!criterion || wanted.length !== 1) {
    throw new InvalidInput(name, [issueAt(["id"], "exactly_one", { choice: ["id", "name"] })]);
  }
  const records = await lookupList(core, name, {}, options);
  const [key, value] = criterion;
  const matching = firstOfLine(records.filter((record) => record.fields[key] === value));
  if (matching.length === 1 && matching[0]) return matching[0];
  if (matching.length === 0) {
    throw engineError("not_found", { kind: name, by: key, value: String(value) }, { path: [key] });
  }
  const ids = matching.map(({ id }) => id);
  throw engineError("ambiguous_name", { kind: name, name: String(value), ids }, { path: [key] });
}

/** Until the old key of a rotation expires, two have its name: the first, whose id stays, is meant. */
const firstOfLine = (records: readonly ServiceRecord[]): readonly ServiceRecord[] =>
  records.length > 1 && records.every(({ fields }) => isOfLineOf(records[0], fields))
    ? [...records].sort((a, b) => createdMs(a) - createdMs(b)).slice(0, 1)
    : records;

const isOfLineOf = (first: ServiceRecord | undefined, fields: Values): boolean =>
  fields["lineage_id"] !== undefined && fields["lineage_id"] === first?.fields["lineage_id"];

/** What the key in use is and may do; never the key itself. */
export const lookupAuth = async (core: Core, options: CallOptions = {}): Promise<AuthView> =>
  authView(await core.authTest(options));
