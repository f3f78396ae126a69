/** The data file: opened by one emulator at a time, readable by its owner only, and ours. */
import { chmodSync, closeSync, existsSync, lstatSync, openSync, readFileSync } from "node:fs";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { isRecord } from "../../provider/contract";
import type { RandomBytes } from "../random";
import { DataFileError } from "../files";
import { DatabaseSync } from "./sqlite";

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
const FILE_KEY_BYTES = 32;
/** `erph` in ASCII, in the file's header: tells our files from those of other programs. */
const APPLICATION_ID = 0x65727068;
/** Grows with every change of the tables that older emulators cannot read. */
const STATE_VERSION = 1;

const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

const CODE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is a file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
};

/**
 * Opens the file, locked until the process ends or closes it: the operating system drops the lock
 * of a process that died, so that none is ever stale. `FILE.pid` only names the holder.
 * @throws DataFileError
 */
export function openDataFile(file: string): DatabaseSync {
  let sqlite: DatabaseSync | undefined;
  try {
    checkNeighbours(file);
    createPrivate(file);
    sqlite = new DatabaseSync(file);
    // Kept after the transaction, because of the locking mode.
    sqlite.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
    checkOwner(file, sqlite);
    // Before anything is written. SQLite gives a write-ahead log the mode of its file.
    for (const path of [file, `${file}-wal`, `${file}.key`]) makePrivate(path);
    // A log of 16 MB at most: each move of it into the file waits for the disk.
    sqlite.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4000");
    writeAnew(pidFile(file), String(process.pid));
    return sqlite;
  } catch (error) {
    sqlite?.close();
    throw refusalOf(file, error);
  }
}

/** SQL that marks a file as ours; for the transaction that creates its tables. */
export const DATA_FILE_MARK = `
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${STATE_VERSION};
`;

/** To be called before the file is closed: afterwards it may be another emulator's. */
export const releaseDataFile = (file: string): void => rmSync(pidFile(file), { force: true });

/** The key in `FILE.key`, which only the owner can read, created if missing; random for memory. */
export function fileKey(dataFile: string | undefined, bytes: RandomBytes): Uint8Array {
  if (dataFile === undefined) return bytes(FILE_KEY_BYTES);
  const path = `${dataFile}.key`;
  try {
    // One that is there and cannot be read is the only key to what the file holds.
    const known = lstatSync(path, { throwIfNoEntry: false }) && readFileSync(path);
    // A process that died before it wrote the key has left an empty file.
    if (known?.length === FILE_KEY_BYTES) return known;
    const key = bytes(FILE_KEY_BYTES);
    writeAnew(path, key);
    return key;
  } catch (error) {
    throw refusalOf(path, error);
  }
}

/** In place of what is there, so that a link's target stays as it is. */
function writeAnew(path: string, content: string | Uint8Array): void {
  rmSync(path, { force: true });
  writeFileSync(path, content, { mode: OWNER_ONLY, flag: "wx" });
}

const pidFile = (file: string): string => `${file}.pid`;

function createPrivate(file: string): void {
  // An existing file is not opened here: closing it would drop this process's own locks on it.
  if (!existsSync(file)) closeSync(openSync(file, "wx", OWNER_ONLY));
  if (statSync(file).isFile()) return;
  throw new DataFileError(file, "is not a file", "Use the path of a file.");
}

/** Next to a new `server` there may be the `server.key` of its TLS, or the `server.pid` of its daemon. */
export function checkNeighbours(file: string): void {
  for (const end of [".pid", ".key", "-wal"]) {
    const path = file + end;
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // Somebody else may choose what a link in a shared folder leads to.
    if (stat?.isSymbolicLink() === true) {
      throw new DataFileError(path, "is a link", "Remove the link, or use another file.");
    }
    // Others end the number of a process with a line break.
    if (end === ".pid" && stat && !/^\d*$/.test(readFileSync(path, "latin1"))) throw foreign(path);
    if (end === ".key" && stat && ![0, FILE_KEY_BYTES].includes(stat.size)) throw foreign(path);
  }
}

const foreign = (path: string): DataFileError =>
  new DataFileError(path, "is not an emulator's", "Move it, or use another file.");

function makePrivate(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat && (stat.mode & OTHERS) !== 0) chmodSync(path, OWNER_ONLY);
}

function checkOwner(file: string, sqlite: DatabaseSync): void {
  const read = (sql: string): number => Number(Object.values(sqlite.prepare(sql).get() ?? {})[0]);
  if (read("SELECT count(*) FROM sqlite_schema") === 0) return;
  if (read("PRAGMA application_id") !== APPLICATION_ID) {
    throw new DataFileError(file, "is a database of another program", "Use another file.");
  }
  const version = read("PRAGMA user_version");
  if (version <= STATE_VERSION) return;
  throw new DataFileError(
    file,
    `was written by a newer erphost: its state has version ${version}, and this one reads ${STATE_VERSION}`,
    "Update erphost, or use another file.",
  );
}

/** What a failure with the file is to whoever named it. */
export function refusalOf(file: string, error: unknown): unknown {
  if (error instanceof DataFileError || !isRecord(error)) return error;
  const { code, errcode, message } = error;
  if (errcode === SQLITE_BUSY) {
    const remedy = "Stop that one first, or use another file.";
    return new DataFileError(file, `is in use by another emulator${holderOf(file)}`, remedy, error);
  }
  if (errcode === SQLITE_NOTADB) {
    const remedy = "Use another file.";
    return new DataFileError(file, "is not a SQLite database", remedy, error);
  }
  if (errcode === SQLITE_FULL || code === "ENOSPC") {
    const remedy = "Free some space, or use a file on another disk.";
    return new DataFileError(file, "cannot be written: the disk is full", remedy, error);
  }
  const reason = CODE_REASONS[String(code)] ?? String(message);
  const remedy = "Use a file in a folder that you can write to.";
  return new DataFileError(file, `cannot be opened: ${reason}`, remedy, error);
}

/** Empty where the holder has not said who it is, or died after saying so. */
function holderOf(file: string): string {
  // It only adds to an error that is certain.
  const pid = existsSync(pidFile(file)) ? Number(readFileSync(pidFile(file), "utf8")) : 0;
  return pid > 0 && isAlive(pid) ? ` (process ${pid})` : "";
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It lives, and belongs to another user.
    return isRecord(error) && error["code"] === "EPERM";
  }
}
