/**
 * Events that wait for a run, and the ids of those that had one: in memory, or in a file that outlives
 * this process. SQLite syncs the file and its folder before a statement ends, keeps two listeners of
 * one folder apart, and undoes what a full disk or a kill cut off.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "../../emulator/store/sqlite";
import { stated } from "../../provider/contract";
import { makeFolder } from "../import/folder";

export interface Waiting {
  /** The order in which events came. */
  readonly seq: number;
  /** The same on every delivery of one event. */
  readonly id: string;
  readonly event: string;
  /** JSON text of what a command gets of it. */
  readonly shown: string;
}

/** What one run is started for. */
export interface Batch {
  /** The oldest first, at least one. */
  readonly events: readonly Waiting[];
  /** How often they have failed. */
  readonly attempts: number;
}

/** What may wait; beyond that events are refused, and the service sends them again. */
const EVENTS_MAX = 10_000;
const BYTES_MAX = 64 * 1024 * 1024;
const BATCH_MAX = 100;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** Ids that are known at least. The service tries an event for more than a day. */
const IDS_LEAST = 100_000;
/** How long an id is known in any case: its time is accepted from five minutes ahead to five behind. */
const ID_MS = 600_000;

/** `erpq`, which no other program's file has. */
const MARK = 0x65_72_70_71;
const VERSION = 1;
const BUSY = 5;
const OPEN_TO_OTHERS = 0o077;

const SCHEMA = `
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, event TEXT NOT NULL,
    shown TEXT, bytes INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX waiting ON events (seq) WHERE shown IS NOT NULL;
  CREATE TABLE queue (target TEXT, count INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  INSERT INTO queue VALUES (NULL, 0, 0);
  CREATE TRIGGER kept AFTER INSERT ON events
    BEGIN UPDATE queue SET count = count + 1, bytes = bytes + new.bytes; END;
  CREATE TRIGGER done AFTER UPDATE OF shown ON events WHEN new.shown IS NULL
    BEGIN UPDATE queue SET count = count - 1, bytes = bytes - old.bytes; END;
  PRAGMA application_id = ${MARK};
  PRAGMA user_version = ${VERSION};`;

/** @throws Error that names the file, where it cannot be used; nothing is done with it then */
export class Store {
  private readonly database: DatabaseSync;
  private readonly turn: DatabaseSync | undefined;
  private readonly opened: fs.Stats | undefined;
  /** Whether it runs the events of its folder. */
  hasTurn = false;
  private doneSeq = 0;

  /** @param target what events of this folder start: it is kept as a hash */
  constructor(
    readonly folder: string | undefined,
    private readonly target = "",
  ) {
    if (folder === undefined) {
      this.database = new DatabaseSync(":memory:");
      this.database.exec(SCHEMA);
      return;
    }
    assertPrivate(folder);
    this.turn = this.named("run.lock", (file) => new DatabaseSync(file));
    const mayRun = this.takeTurn();
    for (const name of fs.readdirSync(folder)) {
      // With its journal, which is empty.
      if (/^run[.]lock(?:-journal)?$/.test(name)) fs.chmodSync(join(folder, name), 0o600);
    }
    this.database = this.named("queue.db", (file) => {
      const isMissing = () => !fs.lstatSync(file, { throwIfNoEntry: false });
      const cell = new Int32Array(new SharedArrayBuffer(4));
      // For two seconds, in which another listener makes it.
      for (let looks = mayRun ? 0 : 100; looks > 0 && isMissing(); looks -= 1) {
        Atomics.wait(cell, 0, 0, 20);
      }
      if (mayRun && isMissing()) create(folder, file);
      return opened(file);
    });
    this.opened = fs.statSync(join(folder, "queue.db"));
    const take = "UPDATE queue SET target = ? WHERE target IS NOT ?";
    if (mayRun) this.database.prepare(take).run(hash(target), hash(target));
    else this.assertOwn();
  }

  /** Keeps an event. Once this returns `new`, it is on disk. */
  add({ id, event, shown }: Omit<Waiting, "seq">, nowMs: number): "new" | "seen" | "full" {
    this.assertOwn();
    const bytes = Buffer.byteLength(shown);
    return this.named("queue.db", (file) => {
      this.assertThere(file);
      const { changes } = this.database
        .prepare(
          `INSERT INTO events (id, event, shown, bytes, at) SELECT ?, ?, ?, ?, ?
           WHERE (SELECT count < ? AND bytes + ? <= ? FROM queue)
           ON CONFLICT (id) DO NOTHING`,
        )
        .run(id, event, shown, bytes, nowMs, EVENTS_MAX, bytes, BYTES_MAX);
      if (changes === 1) return "new";
      const known = this.database.prepare("SELECT 1 FROM events WHERE id = ?").get(id);
      return known === undefined ? "full" : "seen";
    });
  }

  /** @throws Error where an event could not be kept now */
  assertRoom(): void {
    this.assertOwn();
    this.named("queue.db", (file) => {
      this.assertThere(file);
      // Written, because a disk that is full takes no write.
      const sql = "UPDATE queue SET count = count WHERE count < ? AND bytes + ? <= ?";
      const { changes } = this.database.prepare(sql).run(EVENTS_MAX, BATCH_BYTES_MAX, BYTES_MAX);
      if (changes === 0) throw new Error("it is full");
    });
  }

  count(): number {
    const sql = "SELECT count(*) AS count FROM events WHERE shown IS NOT NULL AND seq > ?";
    return this.named("queue.db", () =>
      Number(this.database.prepare(sql).get(this.doneSeq)?.["count"]),
    );
  }

  /** What the next run is for; undefined where nothing waits, or another listener runs its events. */
  next(): Batch | undefined {
    this.assertOwn();
    if (!this.takeTurn()) return undefined;
    // The columns of the statement.
    const rows = this.named("queue.db", () =>
      this.database
        .prepare(
          `SELECT seq, id, event, shown, bytes, attempts FROM events
           WHERE shown IS NOT NULL AND seq > ? ORDER BY seq LIMIT ${BATCH_MAX}`,
        )
        .all(this.doneSeq),
    ) as unknown as (Waiting & { readonly bytes: number; readonly attempts: number })[];
    const attempts = rows[0]?.attempts ?? 0;
    let bytes = 0;
    // Those that failed together are tried again together.
    const end = rows.findIndex((row) => {
      bytes += row.bytes;
      return row.attempts !== attempts || (bytes > BATCH_BYTES_MAX && row !== rows[0]);
    });
    const events = end === -1 ? rows : rows.slice(0, end);
    return events.length === 0 ? undefined : { events, attempts };
  }

  fail({ events }: Batch): void {
    const sql = "UPDATE events SET attempts = attempts + 1 WHERE shown IS NOT NULL AND seq <= ?";
    this.named("queue.db", () => this.database.prepare(sql).run(events.at(-1)?.seq ?? 0));
  }

  /** Forgets all of an event but its id. */
  finish({ events }: Batch, nowMs: number): void {
    // In this process it is over, even where the disk does not take that.
    this.doneSeq = Math.max(this.doneSeq, events.at(-1)?.seq ?? 0);
    this.settle(nowMs);
  }

  /** Writes what could not be written before. */
  settle(nowMs: number): void {
    this.named("queue.db", () => {
      const done = "UPDATE events SET shown = NULL WHERE shown IS NOT NULL AND seq <= ?";
      if (this.database.prepare(done).run(this.doneSeq).changes === 0) return;
      const old = "shown IS NULL AND at < ? AND seq <= (SELECT max(seq) FROM events) - ?";
      this.database.prepare(`DELETE FROM events WHERE ${old}`).run(nowMs - ID_MS, IDS_LEAST);
    });
  }

  /** Writes an event as a command gets it to a file, which it names. Undefined in memory. */
  setAside({ seq, id, event, shown }: Waiting): string | undefined {
    if (this.folder === undefined) return undefined;
    const folder = join(this.folder, "failed");
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${seq}.${event}.${hash(id).slice(0, 8)}.json`);
    fs.writeFileSync(`${file}.part`, `{"events":[${shown}]}\n`, { mode: 0o600, flush: true });
    fs.renameSync(`${file}.part`, file);
    sync(folder);
    sync(this.folder);
    return file;
  }

  close(): void {
    this.database.close();
    this.turn?.close();
  }

  /** One listener of a folder runs its events, in their order. The system ends a dead one's turn. */
  private takeTurn(): boolean {
    if (this.hasTurn || this.turn === undefined) return true;
    const { turn } = this;
    return this.named("run.lock", () => {
      try {
        turn.exec("BEGIN EXCLUSIVE");
      } catch (error) {
        if ((error as { readonly errcode?: number }).errcode === BUSY) return false;
        throw error;
      }
      return (this.hasTurn = true);
    });
  }

  /** @throws Error where another listener starts something else for the events of this folder */
  private assertOwn(): void {
    const row = this.named("queue.db", () => this.database.prepare("SELECT * FROM queue").get());
    const known = row?.["target"];
    // Null: the listener that makes it has not said yet what it starts.
    if (known === null || known === hash(this.target)) return;
    throw new Error(
      `${this.folder} is the queue of another listener, which starts something else. Use a folder for each.`,
    );
  }

  /** SQLite would write on to a file that nobody finds any more. */
  private assertThere(file: string): void {
    if (this.opened === undefined) return;
    const now = fs.lstatSync(file, { throwIfNoEntry: false });
    if (now?.ino !== this.opened.ino) throw new Error("it was removed or replaced meanwhile");
  }

  private named<T>(name: string, work: (file: string) => T): T {
    const file = join(this.folder ?? "", name);
    try {
      return work(file);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`The queue ${file} cannot be used: ${why}.`, { cause: error });
    }
  }
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Complete before it has its name. Only the listener that has its turn makes one. */
function create(folder: string, file: string): void {
  const draft = join(folder, "new.db");
  fs.rmSync(draft, { force: true });
  const database = new DatabaseSync(draft);
  database.exec(`PRAGMA journal_mode = MEMORY; BEGIN; ${SCHEMA} COMMIT`);
  database.close();
  // What SQLite adds to it later has the same mode.
  fs.chmodSync(draft, 0o600);
  // One that a kill left of a queue that was removed: SQLite would undo in this one what that says.
  fs.rmSync(`${file}-journal`, { force: true });
  fs.renameSync(draft, file);
  sync(folder);
}

/** A queue that was there. An empty file would be a new one to SQLite, and may be a lost one. */
function opened(file: string): DatabaseSync {
  if (fs.statSync(file).size === 0) throw new Error("it is empty, and was left alone");
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA busy_timeout = 2000; PRAGMA synchronous = EXTRA");
    const value = (name: string) =>
      Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    if (value("application_id") !== MARK || value("user_version") !== VERSION) {
      throw new Error("it is not a queue, or one of another release, and was left alone");
    }
    if (value("quick_check") !== "ok") throw new Error("it is damaged, and was left alone");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @throws Error where others could read or change what is in the folder */
function assertPrivate(folder: string): void {
  if (!fs.lstatSync(folder, { throwIfNoEntry: false })) {
    makeFolder(folder, 0o700);
    sync(dirname(folder));
  }
  const stat = fs.lstatSync(folder);
  const { getuid } = process;
  // Windows has neither owners nor modes here: there a user's folders are private.
  const isOpen = getuid && (stat.uid !== getuid() || (stat.mode & OPEN_TO_OTHERS) !== 0);
  if (stat.isDirectory() && !isOpen) return;
  const text = "must be a folder of this user alone (mode 0700), or not there yet";
  throw stated("listen", ["--queue"], text);
}

/** A new name must be on disk too. Windows opens no folder, and writes names with their files. */
function sync(folder: string): void {
  if (process.platform === "win32") return;
  const handle = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
