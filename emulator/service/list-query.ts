/** Reads the query of a list (contract, part 4): page, order and filters. */
import { dateBound, listParameters, PAGE_MAX, PER_PAGE_MAX } from "../../provider/contract";
import type { ResolvedResource } from "../../provider/contract";
import { invalid } from "../http/errors";
import type { Condition, ListRequest } from "../store/list";
import { checkField } from "./fields";
import { wire } from "./inventory";

export interface ListQuery extends Pick<ListRequest, "sort" | "descending" | "conditions"> {
  readonly page: number;
  readonly perPage: number;
}

/** Assumption: Bounds of lists. */
function wholeNumber(query: URLSearchParams, name: "page" | "per_page"): number {
  const text = query.get(name);
  const { schema, default: absent } = listParameters[name];
  if (text === null) return absent;
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!schema.safeParse(value).success) {
    const greatest = name === "page" ? PAGE_MAX : PER_PAGE_MAX;
    throw invalid(name, `must be a whole number from 1 to ${greatest}`);
  }
  return value;
}

/** Reads the parameters. Assumption: Unknown parameters. */
export function listQueryOf(resource: ResolvedResource, query: URLSearchParams): ListQuery {
  const order = query.get("order") ?? listParameters.order.default;
  if (order !== "asc" && order !== "desc") throw invalid("order", "must be asc or desc");
  return {
    page: wholeNumber(query, "page"),
    perPage: wholeNumber(query, "per_page"),
    sort: sortField(resource, query.get("sort") ?? listParameters.sort.default),
    descending: order === "desc",
    conditions: [...equalities(resource, query), ...bounds(resource, query)],
  };
}

/** Assumption: Sort fields. */
function sortField(resource: ResolvedResource, requested: string): string {
  const known = Object.entries(resource.definition.fields)
    .filter(([, { secret }]) => !secret)
    .map(([name]) => [name, wire(resource, name)] as const);
  const field = known.find((names) => names.includes(requested))?.[1];
  if (field !== undefined) return field;
  throw invalid("sort", `must be one of ${known.map(([, key]) => key).join(", ")}`);
}

function equalities(resource: ResolvedResource, query: URLSearchParams): Condition[] {
  return Object.entries(resource.definition.fields).flatMap(([name, field]): Condition[] => {
    const key = wire(resource, name);
    const value = query.get(name) ?? query.get(key);
    if (field.filter === undefined || value === null) return [];
    checkField(key, field, value);
    return [{ test: "is", field: key, value }];
  });
}

// `created_after` bounds `created_at`: the part before `_after` or `_before` names the field.
function bounds(resource: ResolvedResource, query: URLSearchParams): Condition[] {
  return Object.keys(resource.definition.filters ?? {}).flatMap((name): Condition[] => {
    const value = query.get(name);
    const bound = /^(.+)_(after|before)$/.exec(name);
    if (value === null || !bound) return [];
    if (!dateBound.safeParse(value).success) {
      throw invalid(name, "must be an ISO 8601 timestamp or date, such as 2026-01-31");
    }
    const test = bound[2] === "after" ? "after" : "before";
    return [{ test, field: wire(resource, `${bound[1]}_at`), ms: Date.parse(value) }];
  });
}
