/** The objects of the service, every kind in one table, each as the JSON that lists answer. */
import type { Database } from "./database";
import type { Changes } from "./changes";
import { recordOf, type StoredObject, type WireRecord } from "./records";

export interface Objects {
  get(kind: string, id: string): WireRecord | undefined;
  /** All of a kind in the order of insertion. */
  all(kind: string): StoredObject[];
  count(kind: string): number;
  insert(kind: string, id: string, createdMs: number, record: WireRecord): void;
  replace(kind: string, id: string, createdMs: number, record: WireRecord): void;
  remove(kind: string, id: string): void;
  /** The next id of a kind: `srv_1`, `srv_2`; never given twice. */
  nextNumber(kind: string): number;
  /** Ids of objects whose field holds the value, a few, and how many there are. */
  holding(kind: string, field: string, value: string): { ids: string[]; count: number };
}

/** A JSON path for a field name; quotes in it can't end the path. */
export const jsonPath = (field: string): string => `$."${field.replaceAll('"', '""')}"`;

/** SQL text literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export function createObjects(database: Database, changes: Changes): Objects {
  const row = (kind: string, id: string) =>
    database.one<StoredObject>("SELECT * FROM objects WHERE kind = ? AND id = ?", kind, id);
  return {
    get: (kind, id) => {
      const found = row(kind, id);
      return found && recordOf(found.body);
    },
    all: (kind) =>
      database.all<StoredObject>("SELECT * FROM objects WHERE kind = ? ORDER BY seq", kind),
    count: (kind) =>
      // Triggers keep it: counting 10,000 rows for every page would take longer than the page.
      database.one<{ n: number }>("SELECT n FROM counts WHERE kind = ?", kind)?.n ?? 0,
    insert: (kind, id, createdMs, record) => {
      database.run(
        "INSERT INTO objects (kind, id, created_ms, body) VALUES (?, ?, ?, ?)",
        kind,
        id,
        createdMs,
        JSON.stringify(record),
      );
      changes.note(kind, id, undefined);
    },
    replace: (kind, id, createdMs, record) => {
      changes.note(kind, id, row(kind, id));
      database.run(
        "UPDATE objects SET created_ms = ?, body = ? WHERE kind = ? AND id = ?",
        createdMs,
        JSON.stringify(record),
        kind,
        id,
      );
    },
    remove: (kind, id) => {
      changes.note(kind, id, row(kind, id));
      database.run("DELETE FROM objects WHERE kind = ? AND id = ?", kind, id);
    },
    nextNumber: (kind) => {
      database.run(
        `INSERT INTO counters (kind, last) VALUES (?, 1)
         ON CONFLICT (kind) DO UPDATE SET last = last + 1`,
        kind,
      );
      return (
        database.one<{ last: number }>("SELECT last FROM counters WHERE kind = ?", kind)?.last ?? 1
      );
    },
    holding: (kind, field, value) => {
      // Literals, so that SQLite can use the partial index that `indexField` made.
      const member = `json_extract(body, ${literal(jsonPath(field))})`;
      const where = `kind = ${literal(kind)} AND ${member} = ?`;
      const ids = database.all<{ id: string }>(
        `SELECT id FROM objects WHERE ${where} LIMIT 3`,
        value,
      );
      const count = database.one<{ n: number }>(
        `SELECT count(*) AS n FROM objects WHERE ${where}`,
        value,
      );
      return { ids: ids.map(({ id }) => id), count: count?.n ?? 0 };
    },
  };
}

/** Makes look-ups of a kind by a field fast. */
export function indexField(database: Database, kind: string, field: string): void {
  const name = `"objects_${kind}_${field.replaceAll('"', "")}"`;
  database.run(
    `CREATE INDEX IF NOT EXISTS ${name}
     ON objects (json_extract(body, ${literal(jsonPath(field))}), created_ms, seq)
     WHERE kind = ${literal(kind)}`,
  );
}
