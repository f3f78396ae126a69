/** The SQLite database, a file or in memory, that holds the whole state. */
import type { SQLInputValue, StatementSync } from "node:sqlite";
import { DATA_FILE_MARK, openDataFile, refusalOf, releaseDataFile } from "./data-file";
import { DatabaseSync } from "./sqlite";

const SCHEMA = `
CREATE TABLE IF NOT EXISTS objects (
  seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL,
  created_ms INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (kind, id));
CREATE INDEX IF NOT EXISTS objects_by_time ON objects (kind, created_ms, seq);
CREATE TABLE IF NOT EXISTS counts (kind TEXT PRIMARY KEY, n INTEGER NOT NULL);
CREATE TRIGGER IF NOT EXISTS objects_counted AFTER INSERT ON objects BEGIN
  INSERT INTO counts VALUES (new.kind, 1) ON CONFLICT (kind) DO UPDATE SET n = n + 1; END;
CREATE TRIGGER IF NOT EXISTS objects_uncounted AFTER DELETE ON objects BEGIN
  UPDATE counts SET n = n - 1 WHERE kind = old.kind; END;
CREATE TABLE IF NOT EXISTS counters (kind TEXT PRIMARY KEY, last INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS timers (
  seq INTEGER PRIMARY KEY, due_ms INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
  action TEXT NOT NULL, detail TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS timers_by_due ON timers (due_ms, seq);
CREATE INDEX IF NOT EXISTS timers_by_object ON timers (kind, id);
CREATE TABLE IF NOT EXISTS secrets (
  handle TEXT PRIMARY KEY, key_id TEXT NOT NULL, hash BLOB NOT NULL, environment TEXT NOT NULL,
  key_class TEXT NOT NULL, rotated INTEGER NOT NULL DEFAULT 0, ended_at TEXT);
CREATE INDEX IF NOT EXISTS secrets_by_key ON secrets (key_id);
CREATE TABLE IF NOT EXISTS replays (
  unit TEXT PRIMARY KEY, key_id TEXT NOT NULL, fingerprint BLOB NOT NULL,
  status INTEGER NOT NULL, sealed BLOB NOT NULL, created_ms INTEGER NOT NULL) WITHOUT ROWID;
DROP INDEX IF EXISTS replays_by_time;
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS endpoints (
  id TEXT PRIMARY KEY, url TEXT NOT NULL, events TEXT NOT NULL, secret BLOB NOT NULL,
  previous_secret BLOB, previous_until_ms INTEGER NOT NULL DEFAULT 0,
  disabled INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS deliveries (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL, endpoint_id TEXT NOT NULL, event TEXT NOT NULL,
  body TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
  due_ms INTEGER NOT NULL, last_status INTEGER, last_problem TEXT);
CREATE INDEX IF NOT EXISTS deliveries_by_due ON deliveries (state, due_ms);
CREATE TABLE IF NOT EXISTS mails (seq INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
`;

/** Statements are prepared once each; `T` is the row that the columns of a statement make. */
export class Database {
  private readonly sqlite: DatabaseSync;
  private readonly prepared = new Map<string, StatementSync>();
  private inTransaction = false;
  /** Receives the table of every statement that writes. */
  onWrite: ((table: string) => void) | undefined;

  /**
   * @param file undefined: memory
   * @param durable whether a commit waits for the disk (`synchronous=FULL`)
   * @throws DataFileError where the file is in use, cannot be opened or is not ours
   */
  constructor(
    private readonly file: string | undefined,
    durable = false,
  ) {
    this.sqlite = file === undefined ? new DatabaseSync(":memory:") : openDataFile(file);
    try {
      this.sqlite.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
      // SQLite's own `lower` knows ASCII alone.
      this.sqlite.function(
        "folded",
        { deterministic: true },
        (text) => text?.toString().toLowerCase() ?? null,
      );
      // What is kept to undo a transaction.
      this.sqlite.exec("PRAGMA temp_store = MEMORY");
      // Deleted secrets must not stay in free pages of the file.
      this.sqlite.exec("PRAGMA secure_delete = ON");
      this.sqlite.exec(`BEGIN; ${SCHEMA} ${DATA_FILE_MARK} COMMIT`);
    } catch (error) {
      this.close();
      throw file === undefined ? error : refusalOf(file, error);
    }
  }

  /** The first row; undefined where there is none. */
  one<T>(sql: string, ...values: SQLInputValue[]): T | undefined {
    // Casts here say what the columns of the statement are; its caller wrote the statement.
    return this.statement(sql).get(...values) as T | undefined;
  }

  /** All rows, read again each time. */
  all<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.statement(sql).all(...values) as T[];
  }

  /** Runs a statement without rows; answers how many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.writing(sql).run(...values).changes);
  }

  /** Runs a statement that writes, and answers a row of what it wrote. */
  returning<T>(sql: string, ...values: SQLInputValue[]): T {
    return this.writing(sql).get(...values) as T;
  }

  /**
   * All or nothing. Inside another transaction it becomes part of that. Every request has one of its
   * own: a commit that does not wait for the disk costs less than an answer.
   */
  transaction<T>(work: () => T): T {
    if (this.inTransaction) return work();
    this.statement("BEGIN IMMEDIATE").run();
    this.inTransaction = true;
    try {
      const result = work();
      this.statement("COMMIT").run();
      return result;
    } catch (error) {
      // SQLite itself has rolled back where the disk is full.
      if (this.sqlite.isTransaction) this.statement("ROLLBACK").run();
      throw error;
    } finally {
      this.inTransaction = false;
    }
  }

  close(): void {
    if (this.file !== undefined) releaseDataFile(this.file);
    this.sqlite.close();
  }

  private writing(sql: string): StatementSync {
    this.onWrite?.(/(?:FROM|INTO|UPDATE|TABLE)\s+(\w+)/.exec(sql)?.[1] ?? "");
    return this.statement(sql);
  }

  private statement(sql: string): StatementSync {
    const known = this.prepared.get(sql);
    if (known) return known;
    const statement = this.sqlite.prepare(sql);
    this.prepared.set(sql, statement);
    return statement;
  }
}
