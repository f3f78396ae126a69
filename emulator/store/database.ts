/** The SQLite database, a file or in memory, that holds the whole state. */
import type { SQLInputValue, StatementSync } from "node:sqlite";
import { DATA_FILE_MARK, openDataFile, refusalOf, releaseDataFile } from "./data-file";
import { DatabaseSync } from "./sqlite";

/** Where the state lives. */
export interface DatabaseOptions {
  /** A file; undefined: memory. */
  readonly file: string | undefined;
  /** Whether a commit waits for the disk (`synchronous=FULL`). */
  readonly durable: boolean;
}

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
  status INTEGER NOT NULL, sealed BLOB NOT NULL, created_ms INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS replays_by_time ON replays (created_ms);
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

/** Answers that are remembered; they are forgotten when there are more. */
const ANSWERS_MAX = 200;
const ANSWER_ROWS_MAX = 100;

/**
 * Statements are prepared once each; `T` is the row that the columns of a statement make. What a query
 * answered is remembered until the next write, because clients ask for the same lists again and again.
 */
export class Database {
  private readonly sqlite: DatabaseSync;
  private readonly prepared = new Map<string, StatementSync>();
  private readonly answers = new Map<string, unknown>();
  private inTransaction = false;

  /** @throws DataFileError where the file is in use, cannot be opened or is not ours */
  constructor(private readonly options: DatabaseOptions) {
    const { file, durable } = options;
    this.sqlite = file === undefined ? new DatabaseSync(":memory:") : openDataFile(file);
    try {
      this.sqlite.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
      // Deleted secrets must not stay in free pages of the file.
      this.sqlite.exec("PRAGMA secure_delete = ON");
      this.sqlite.exec(`BEGIN; ${SCHEMA} ${DATA_FILE_MARK} COMMIT`);
    } catch (error) {
      this.close();
      throw file === undefined ? error : refusalOf(file, error);
    }
  }

  /** The first row. */
  one<T>(sql: string, ...values: SQLInputValue[]): T | undefined {
    const key = keyOf("one", sql, values);
    const known = this.answers.get(key);
    // Casts here say what the columns of the statement are; its caller wrote the statement.
    if (known !== undefined) return known as T;
    return this.remember(key, this.statement(sql).get(...values)) as T | undefined;
  }

  /** All rows. */
  all<T>(sql: string, ...values: SQLInputValue[]): T[] {
    const key = keyOf("all", sql, values);
    const known = this.answers.get(key);
    if (known !== undefined) return known as T[];
    const rows = this.statement(sql).all(...values) as T[];
    return rows.length > ANSWER_ROWS_MAX ? rows : this.remember(key, rows);
  }

  /** Runs a statement without rows; answers how many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    this.answers.clear();
    return Number(this.statement(sql).run(...values).changes);
  }

  /** All or nothing. Inside another transaction it becomes part of that. */
  transaction<T>(work: () => T): T {
    if (this.inTransaction) return work();
    this.inTransaction = true;
    this.statement("BEGIN IMMEDIATE").run();
    try {
      const result = work();
      this.statement("COMMIT").run();
      return result;
    } catch (error) {
      // SQLite itself has rolled back where the disk is full.
      if (this.sqlite.isTransaction) this.statement("ROLLBACK").run();
      this.answers.clear();
      throw error;
    } finally {
      this.inTransaction = false;
    }
  }

  /** Closes the file. */
  close(): void {
    if (this.options.file !== undefined) releaseDataFile(this.options.file);
    this.sqlite.close();
  }

  private remember<T>(key: string, answer: T): T {
    if (this.answers.size >= ANSWERS_MAX) this.answers.clear();
    this.answers.set(key, answer);
    return answer;
  }

  private statement(sql: string): StatementSync {
    const known = this.prepared.get(sql);
    if (known) return known;
    const statement = this.sqlite.prepare(sql);
    this.prepared.set(sql, statement);
    return statement;
  }
}

/** The types tell 1 from "1". */
const keyOf = (way: string, sql: string, values: readonly SQLInputValue[]): string =>
  values.reduce<string>(
    (key, value) => `${key}\0${typeof value} ${String(value)}`,
    `${way} ${sql}`,
  );
