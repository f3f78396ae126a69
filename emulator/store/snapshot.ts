/** The whole state as plain JSON, and its restoration. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { Snapshot } from "../control/schema";
import type { ClockState } from "../time/clock";
import type { Database } from "./database";
import { keepSetting } from "./settings";

/** What a snapshot holds. Secrets are hashes; replayable answers are encrypted per API key. */
const TABLES = ["objects", "counters", "timers", "secrets", "replays"] as const;

/** Whose copy it is, and which key was the first. */
const OF_STATE = "FROM settings WHERE name IN ('twin_of', 'admin_key_id')";

type Cell = Snapshot["tables"][string][number][string];

const cellOf = (value: SQLOutputValue): Cell =>
  value instanceof Uint8Array
    ? { base64: Buffer.from(value).toString("base64") }
    : typeof value === "bigint"
      ? Number(value)
      : value;

const valueOf = (cell: Cell): SQLInputValue =>
  typeof cell === "object" && cell !== null ? Buffer.from(cell.base64, "base64") : cell;

/** The state as JSON values. */
export function takeSnapshot(database: Database, clock: ClockState): Snapshot {
  const rows = (table: string) =>
    database
      .all<Record<string, SQLOutputValue>>(`SELECT * FROM ${table}`)
      .map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)])),
      );
  const settings = database.all<{ name: string; value: string }>(`SELECT * ${OF_STATE}`);
  return {
    version: 1,
    clock,
    settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])),
    tables: Object.fromEntries(TABLES.map((table) => [table, rows(table)])),
  };
}

/** Deletes everything that a snapshot would hold. */
export function emptyTables(database: Database): void {
  for (const table of TABLES) database.run(`DELETE FROM ${table}`);
  database.run(`DELETE ${OF_STATE}`);
}

/** Replaces the state. Column names come from the tables, never from the snapshot. */
export function restoreTables(database: Database, snapshot: Snapshot): void {
  database.transaction(() => {
    emptyTables(database);
    for (const [name, value] of Object.entries(snapshot.settings)) {
      keepSetting(database, name, value);
    }
    for (const table of TABLES) {
      const columns = database
        .all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
        .map(({ name }) => name);
      const marks = columns.map(() => "?").join(", ");
      for (const row of snapshot.tables[table] ?? []) {
        const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks})`;
        database.run(sql, ...columns.map((name) => valueOf(row[name] ?? null)));
      }
    }
  });
}
