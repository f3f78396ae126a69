/** Lists: filters, order and pages. */
import type { SQLInputValue } from "node:sqlite";
import type { Database } from "./database";
import { jsonPath, literal } from "./objects";
import type { StoredObject } from "./records";

/** One filter. Bounds are exclusive and in milliseconds since 1970. */
export type Condition =
  | { readonly test: "is"; readonly field: string; readonly value: string }
  | { readonly test: "after" | "before"; readonly field: string; readonly ms: number };

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

export interface ListResult {
  /** JSON texts of the page's records. */
  readonly bodies: readonly string[];
  /** On all pages. */
  readonly count: number;
}

/** How a fault distorts a list. */
export interface Distortion {
  /** What objects were instead, by id; undefined: not there. */
  readonly before?: ReadonlyMap<string, StoredObject | undefined> | undefined;
  /** Puts items with equal sort values into another order for each whole number. */
  readonly mix?: number | undefined;
}

/** Reads one page. Ties are broken by insertion, in the direction of the sort. */
export function readPage(
  database: Database,
  request: ListRequest,
  { before, mix }: Distortion = {},
): ListResult {
  const { sql, values } = where(request);
  const from = before ? `(${earlier(request.kind)}) AS objects` : "objects";
  const given = before ? [JSON.stringify([...before.keys()]), rowsOf(before)] : [];
  const key =
    request.sort === request.createdAt
      ? "created_ms"
      : `json_extract(body, ${literal(jsonPath(request.sort))})`;
  const way = request.descending ? "DESC" : "ASC";
  const tie = mix === undefined ? `seq ${way}` : "(seq * seq * 104729 + seq * ?) % 1000003";
  const rows = database.all<{ body: string }>(
    `SELECT body FROM ${from} WHERE ${sql} ORDER BY ${key} ${way}, ${tie} LIMIT ? OFFSET ?`,
    ...[...given, ...values, ...(mix === undefined ? [] : [mix])],
    request.limit,
    request.offset,
  );
  const all = request.conditions.length === 0 && !request.text && !before;
  const counted = `SELECT count(*) AS n FROM ${from} WHERE ${sql}`;
  const total = all
    ? database.one<{ n: number }>("SELECT n FROM counts WHERE kind = ?", request.kind)
    : database.one<{ n: number }>(counted, ...given, ...values);
  return { bodies: rows.map(({ body }) => body), count: total?.n ?? 0 };
}

/** The objects of a kind, with other rows for some ids, or none. */
const earlier = (kind: string): string => `
  SELECT seq, kind, id, created_ms, body FROM objects
  WHERE kind = ${literal(kind)} AND id NOT IN (SELECT value FROM json_each(?))
  UNION ALL SELECT ${["seq", "kind", "id", "created_ms", "body"].map((name) => `value ->> '${name}'`).join()}
  FROM json_each(?)`;

const rowsOf = (before: NonNullable<Distortion["before"]>): string =>
  JSON.stringify([...before.values()].filter((row) => row !== undefined));

function where({ kind, conditions, text, createdAt }: ListRequest) {
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
      "EXISTS (SELECT 1 FROM json_tree(objects.body) WHERE instr(folded(atom), folded(?)) > 0)",
    );
    values.push(text);
  }
  return { sql: parts.join(" AND "), values };
}
