/** The SQLite database, a file or in memory, that holds the whole state. */
import type { SQLInputValue, StatementSync } from "node:sqlite";
import { DATA_FILE_MARK, openDataFile, refusalOf, releaseDataFile } from "./data-file";
import { DatabaseSync } from "./sqlite";

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

/** Statements are prepared once each; `T` is the row that the columns of a statement make. */
export class Database {
  private readonly sqlite: DatabaseSync;
  private readonly prepared = new Map<string, Prepared>();
  private inTransaction = false;
  private group: Group | undefined;
  /** Receives the table of every statement that writes. */
  onWrite: ((table: string) => void) | undefined;

  /** @throws DataFileError where the file is in use, cannot be opened or is not ours */
  constructor(private readonly options: DatabaseOptions) {
    const { file, durable } = options;
    this.sqlite = file === undefined ? new DatabaseSync(":memory:") : openDataFile(file);
    try {
      this.sqlite.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
      // What a savepoint keeps to undo one piece of work of many.
      this.sqlite.exec("PRAGMA temp_store = MEMORY");
      // Deleted secrets must not stay in free pages of the file.
      this.sqlite.exec("PRAGMA secure_delete = ON");
      this.sqlite.exec(`BEGIN; ${SCHEMA} ${DATA_FILE_MARK} COMMIT`);
    } catch (error) {
      this.close();
      throw file === undefined ? error : refusalOf(file, error);
    }
  }

  one<T>(sql: string, ...values: SQLInputValue[]): T | undefined {
    // Casts here say what the columns of the statement are; its caller wrote the statement.
    return this.reading(sql).get(...values) as T | undefined;
  }

  all<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.reading(sql).all(...values) as T[];
  }

  /** Runs a statement without rows; answers how many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.writing(sql).run(...values).changes);
  }

  /** Runs a statement that writes, and answers a row of what it wrote. */
  returning<T>(sql: string, ...values: SQLInputValue[]): T {
    return this.writing(sql).get(...values) as T;
  }

  /** All or nothing. Inside another transaction it becomes part of that. */
  transaction<T>(work: () => T): T {
    if (this.inTransaction) return work();
    this.settle();
    this.control("BEGIN IMMEDIATE");
    try {
      const result = this.within(work);
      this.control("COMMIT");
      return result;
    } catch (error) {
      this.rollBack();
      throw error;
    }
  }

  /**
   * The same for requests that wait together: what is done in one turn of the event loop has one
   * commit, which takes as long as that of one request. Fulfilled after it. Where it fails, all of
   * the work is undone and rejected. Work that throws takes no other work with it, and is rejected
   * after the commit as well, because it may have seen what others had done.
   */
  together<T>(work: () => T): Promise<T> {
    const { committed } = (this.group ??= this.newGroup());
    this.control("SAVEPOINT one");
    let end: () => T;
    try {
      const result = this.within(work);
      this.control("RELEASE one");
      end = () => result;
    } catch (error) {
      end = () => {
        throw error;
      };
      // Where the disk is full SQLite itself has rolled back, and not this work alone.
      if (this.sqlite.isTransaction) this.sqlite.exec("ROLLBACK TO one; RELEASE one");
      else this.settle(end);
    }
    return committed.then(end);
  }

  close(): void {
    this.settle();
    if (this.options.file !== undefined) releaseDataFile(this.options.file);
    this.sqlite.close();
  }

  private newGroup(): Group {
    this.control("BEGIN IMMEDIATE");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setImmediate(() => this.settle());
    return { committed: promise, resolve, reject, timer, written: new Set() };
  }

  /** Ends the transaction of a group, so that nobody else sees or writes what may yet be undone. */
  private settle(commit: () => void = () => this.control("COMMIT")): void {
    const { group } = this;
    if (group === undefined) return;
    this.group = undefined;
    clearImmediate(group.timer);
    try {
      commit();
      group.resolve();
    } catch (error) {
      this.rollBack();
      group.reject(error);
    }
  }

  private within<T>(work: () => T): T {
    this.inTransaction = true;
    try {
      return work();
    } finally {
      this.inTransaction = false;
    }
  }

  private control(sql: string): void {
    this.statement(sql).statement.run();
  }

  private rollBack(): void {
    // SQLite itself has rolled back where the disk is full.
    if (this.sqlite.isTransaction) this.control("ROLLBACK");
  }

  private writing(sql: string): StatementSync {
    if (!this.inTransaction) this.settle();
    const { statement, table, spoils } = this.statement(sql);
    for (const spoiled of spoils) this.group?.written.add(spoiled);
    this.onWrite?.(table);
    return statement;
  }

  private reading(sql: string): StatementSync {
    const { statement, scope } = this.statement(sql);
    if (!this.inTransaction && this.group?.written.has(scope)) this.settle();
    return statement;
  }

  private statement(sql: string): Prepared {
    const known = this.prepared.get(sql);
    if (known) return known;
    const [, table = "", kind] =
      /(?:FROM|INTO|UPDATE|TABLE)\s+(\w+)(?:[^']+'(\w+)')?/.exec(sql) ?? [];
    const isOfKind = table === OBJECTS && kind !== undefined;
    const scope = isOfKind ? `${OBJECTS} ${kind}` : table;
    // Triggers write the counts.
    const spoils = isOfKind ? [scope, OBJECTS, "counts"] : [scope];
    const prepared = { statement: this.sqlite.prepare(sql), table, scope, spoils };
    this.prepared.set(sql, prepared);
    return prepared;
  }
}

const OBJECTS = "objects";

interface Prepared {
  readonly statement: StatementSync;
  readonly table: string;
  /** What it reads or writes, but for triggers: one table, and of objects those of one kind. */
  readonly scope: string;
  /** The scopes whose answers are others once it has written; of all objects, every one. */
  readonly spoils: readonly string[];
}

/** Work that shares a transaction. */
interface Group {
  readonly committed: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Immediate;
  /** Scopes. */
  readonly written: Set<string>;
}
