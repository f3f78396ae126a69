/** Lists: filters, order and pages, by SQL, or in memory where a fault distorts them. */
import type { SQLInputValue } from "node:sqlite";
import type { Database } from "./database";
import { jsonPath, literal } from "./objects";
import { recordOf, type StoredObject } from "./records";

/** One filter. Bounds are exclusive and in milliseconds since 1970. */
export type Condition =
  | { readonly test: "is"; readonly field: string; readonly value: string }
  | { readonly test: "after" | "before"; readonly field: string; readonly ms: number };

/** Which page of which list. */
export interface ListRequest {
  readonly kind: string;
  readonly conditions: readonly Condition[];
  /** Wire name. */
  readonly sort: string;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
  /** What a value contains, in upper or lower case; left out or empty: anything. */
  readonly text?: string;
  /** Wire name of the field that the `created_ms` column mirrors. */
  readonly createdAt: string;
}

/** One page. */
export interface ListResult {
  /** JSON texts of the page's records. */
  readonly bodies: readonly string[];
  /** On all pages. */
  readonly count: number;
}

/** Reads one page. Ties are broken by insertion, in the direction of the sort. */
export function readPage(database: Database, request: ListRequest): ListResult {
  const { sql, values } = where(request);
  const key =
    request.sort === request.createdAt
      ? "created_ms"
      : `json_extract(body, ${literal(jsonPath(request.sort))})`;
  const way = request.descending ? "DESC" : "ASC";
  const rows = database.all<{ body: string }>(
    `SELECT body FROM objects WHERE ${sql} ORDER BY ${key} ${way}, seq ${way} LIMIT ? OFFSET ?`,
    ...values,
    request.limit,
    request.offset,
  );
  const total =
    request.conditions.length === 0 && !request.text
      ? database.one<{ n: number }>("SELECT n FROM counts WHERE kind = ?", request.kind)
      : database.one<{ n: number }>(`SELECT count(*) AS n FROM objects WHERE ${sql}`, ...values);
  return { bodies: rows.map(({ body }) => body), count: total?.n ?? 0 };
}

function where({ kind, conditions, text, createdAt }: ListRequest): {
  sql: string;
  values: SQLInputValue[];
} {
  const parts = [`kind = ${literal(kind)}`];
  const values: SQLInputValue[] = [];
  for (const condition of conditions) {
    const path = literal(jsonPath(condition.field));
    if (condition.test === "is") {
      parts.push(`json_extract(body, ${path}) = ?`);
      values.push(condition.value);
      continue;
    }
    const column =
      condition.field === createdAt
        ? "created_ms"
        : `round(unixepoch(json_extract(body, ${path}), 'subsec') * 1000)`;
    parts.push(`${column} ${condition.test === "after" ? ">" : "<"} ?`);
    values.push(condition.ms);
  }
  if (text) {
    parts.push(
      "EXISTS (SELECT 1 FROM json_tree(objects.body) WHERE instr(lower(atom), lower(?)) > 0)",
    );
    values.push(text);
  }
  return { sql: parts.join(" AND "), values };
}

/** How a fault distorts a list. */
export interface Distortion {
  /** Puts items with equal sort values into a random order. */
  readonly shuffleTies?: (<T>(list: readonly T[]) => T[]) | undefined;
}

/** The same page from rows in memory. Slow; for rows or an order that differ from the store's. */
export function pageOf(
  rows: readonly StoredObject[],
  request: ListRequest,
  distortion: Distortion = {},
): ListResult {
  const keyed = rows
    .map((row) => ({ row, record: recordOf(row.body) }))
    .filter(({ row, record }) =>
      request.conditions.every((condition) => {
        const value = record[condition.field];
        if (condition.test === "is") return value === condition.value;
        const ms =
          condition.field === request.createdAt ? row.created_ms : Date.parse(String(value));
        return condition.test === "after" ? ms > condition.ms : ms < condition.ms;
      }),
    )
    .map(({ row, record }) => ({
      row,
      key: request.sort === request.createdAt ? row.created_ms : sortable(record[request.sort]),
    }));
  const arranged = distortion.shuffleTies?.(keyed) ?? keyed;
  const sign = request.descending ? -1 : 1;
  const sorted = arranged.toSorted((a, b) => {
    const order = compare(a.key, b.key) || (distortion.shuffleTies ? 0 : a.row.seq - b.row.seq);
    return sign * order;
  });
  return {
    bodies: sorted.slice(request.offset, request.offset + request.limit).map(({ row }) => row.body),
    count: keyed.length,
  };
}

type Key = number | string | undefined;
const sortable = (value: unknown): Key =>
  value === undefined || value === null
    ? undefined
    : typeof value === "number" || typeof value === "string"
      ? value
      : typeof value === "boolean"
        ? Number(value)
        : JSON.stringify(value);

// As SQLite orders them: null, then numbers, then text by bytes.
function compare(a: Key, b: Key): number {
  const rank = (key: Key) => (key === undefined ? 0 : typeof key === "number" ? 1 : 2);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return 0;
}
