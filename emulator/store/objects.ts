/** The objects of the service: one table for all kinds, each as the JSON that lists answer with. */
import type { Database } from "./database";
import type { Changes } from "./changes";
import { recordOf, type StoredObject, type WireRecord } from "./records";

/** A JSON path to a field; quotes in its name cannot end the path. */
export const jsonPath = (field: string): string => `$."${field.replaceAll('"', '""')}"`;

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Ids that `holding` answers with at most. */
const HOLDING_IDS_MAX = 3;

/** A kind is a literal in its statements, as in the indexes that they may use. */
const of = (kind: string): string => `WHERE kind = ${literal(kind)}`;

/** Reads and writes objects; every write is noted in `changes`. */
export class Objects {
  constructor(
    private readonly database: Database,
    private readonly changes: Changes,
  ) {}

  /** One object; undefined where it does not exist. */
  get(kind: string, id: string): WireRecord | undefined {
    const row = this.row(kind, id);
    return row && recordOf(row.body);
  }

  /** All objects of a kind in the order of insertion. */
  all(kind: string): StoredObject[] {
    return this.database.all<StoredObject>(`SELECT * FROM objects ${of(kind)} ORDER BY seq`);
  }

  count(kind: string): number {
    // Triggers keep it: counting 10,000 rows for every page would take longer than the page.
    return this.database.one<{ n: number }>("SELECT n FROM counts WHERE kind = ?", kind)?.n ?? 0;
  }

  insert(kind: string, id: string, createdMs: number, record: WireRecord): void {
    const into = "objects (kind, id, created_ms, body)";
    const sql = `INSERT INTO ${into} VALUES (${literal(kind)}, ?, ?, ?)`;
    this.database.run(sql, id, createdMs, JSON.stringify(record));
    this.changes.note(kind, id, undefined);
  }

  replace(kind: string, id: string, createdMs: number, record: WireRecord): void {
    this.changes.note(kind, id, this.row(kind, id));
    const sql = `UPDATE objects SET created_ms = ?, body = ? ${of(kind)} AND id = ?`;
    this.database.run(sql, createdMs, JSON.stringify(record), id);
  }

  remove(kind: string, id: string): void {
    this.changes.note(kind, id, this.row(kind, id));
    this.database.run(`DELETE FROM objects ${of(kind)} AND id = ?`, id);
  }

  /** The next number of a kind, for `srv_1`, `srv_2`; never the same twice. */
  nextNumber(kind: string): number {
    const sql = `INSERT INTO counters (kind, last) VALUES (?, 1)
      ON CONFLICT (kind) DO UPDATE SET last = last + 1 RETURNING last`;
    return this.database.returning<{ last: number }>(sql, kind).last;
  }

  /** The first few ids of objects whose field has a value, and how many such objects there are. */
  holding(kind: string, field: string, value: string): { ids: string[]; count: number } {
    // Literals, so that SQLite can use the partial index that `indexField` creates.
    const member = `json_extract(body, ${literal(jsonPath(field))})`;
    const from = `FROM objects ${of(kind)} AND ${member} = ?`;
    const some = `SELECT id ${from} LIMIT ${HOLDING_IDS_MAX}`;
    const rows = this.database.all<{ id: string }>(some, value);
    const count = this.database.one<{ n: number }>(`SELECT count(*) AS n ${from}`, value);
    return { ids: rows.map(({ id }) => id), count: count?.n ?? 0 };
  }

  /** The row of an object. */
  row(kind: string, id: string): StoredObject | undefined {
    return this.database.one<StoredObject>(`SELECT * FROM objects ${of(kind)} AND id = ?`, id);
  }
}

/** Makes look-ups of a kind by a field fast. */
export function indexField(database: Database, kind: string, field: string): void {
  const name = `"objects_${kind}_${field.replaceAll('"', "")}"`;
  database.run(
    `CREATE INDEX IF NOT EXISTS ${name}
     ON objects (json_extract(body, ${literal(jsonPath(field))}), created_ms, seq) ${of(kind)}`,
  );
}
