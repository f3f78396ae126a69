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

/** Answers that are remembered; they are forgotten when there are more. */
const ANSWERS_MAX = 200;
const ANSWER_ROWS_MAX = 100;

/**
 * Statements are prepared once each; `T` is the row that the columns of a statement make. What a query
 * answered is remembered until the next write, because clients ask for the same lists again and again.
 */
export class Database {
  private readonly sqlite: DatabaseSync;
  private readonly prepared = new Map<string, Prepared>();
  /** By table. */
  private readonly answers = new Map<string, Map<string, unknown>>();
  private inTransaction = false;
  /** Receives the text of every statement that writes. */
  onWrite: ((sql: string) => void) | undefined;

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
    // Casts here say what the columns of the statement are; its caller wrote the statement.
    return this.answer("one", sql, values) as T | undefined;
  }

  /** All rows. */
  all<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.answer("all", sql, values) as T[];
  }

  /** Runs a statement without rows; answers how many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    const { statement, table } = this.statement(sql);
    this.forget(table);
    this.onWrite?.(sql);
    return Number(statement.run(...values).changes);
  }

  /** Runs a statement that writes, and answers a row of what it wrote. */
  returning<T>(sql: string, ...values: SQLInputValue[]): T {
    const { statement, table } = this.statement(sql);
    this.forget(table);
    this.onWrite?.(sql);
    return statement.get(...values) as T;
  }

  /** All or nothing. Inside another transaction it becomes part of that. */
  transaction<T>(work: () => T): T {
    if (this.inTransaction) return work();
    this.inTransaction = true;
    this.statement("BEGIN IMMEDIATE").statement.run();
    try {
      const result = work();
      this.statement("COMMIT").statement.run();
      return result;
    } catch (error) {
      // SQLite itself has rolled back where the disk is full.
      if (this.sqlite.isTransaction) this.statement("ROLLBACK").statement.run();
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

  private answer(way: "one" | "all", sql: string, values: readonly SQLInputValue[]): unknown {
    const { statement, table } = this.statement(sql);
    const answers = this.answers.get(table) ?? new Map<string, unknown>();
    this.answers.set(table, answers);
    const key = keyOf(way, sql, values);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = way === "one" ? statement.get(...values) : statement.all(...values);
    if (Array.isArray(answer) && answer.length > ANSWER_ROWS_MAX) return answer;
    if (answers.size >= ANSWERS_MAX) answers.clear();
    answers.set(key, answer);
    return answer;
  }

  private forget(table: string): void {
    this.answers.get(table)?.clear();
    // Triggers write it.
    if (table === "objects") this.answers.get("counts")?.clear();
  }

  private statement(sql: string): Prepared {
    const known = this.prepared.get(sql);
    if (known) return known;
    const table = /(?:FROM|INTO|UPDATE|TABLE)\s+(\w+)/.exec(sql)?.[1] ?? "";
    const prepared = { statement: this.sqlite.prepare(sql), table };
    this.prepared.set(sql, prepared);
    return prepared;
  }
}

interface Prepared {
  readonly statement: StatementSync;
  /** The only one that it reads or writes, but for triggers. */
  readonly table: string;
}

/** The types tell 1 from "1". No statement is given a bigint. */
const keyOf = (way: string, sql: string, values: readonly SQLInputValue[]): string =>
  [way, sql, ...values.map((value) => JSON.stringify(value))].join("\0");
