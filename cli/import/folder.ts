/** The only place where `erphost import` touches the file system. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Texts of files, by their names in a folder. */
export type Files = ReadonlyMap<string, string>;

/** Larger files are not read: no person wrote them. */
const SIZE_MAX_BYTES = 64 * 1024 * 1024;

/** No program reads a file of such a name. */
const draftOf = (path: string): string => `${path}.part`;

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** A folder that may not exist yet. */
export class Folder {
  constructor(readonly path: string) {}

  isThere(): boolean {
    return existsSync(this.path) && statSync(this.path).isDirectory();
  }

  /** Whether something is there that is not a folder. */
  isSomethingElse(): boolean {
    return existsSync(this.path) && !this.isThere();
  }

  /** Texts of the files directly in it whose names match, also of those that links lead to. */
  read(names: RegExp): Map<string, string> {
    if (!existsSync(this.path)) return new Map();
    const entries = readdirSync(this.path).filter((name) => names.test(name) && this.isRead(name));
    return new Map(
      entries.sort().map((name) => [name, readFileSync(join(this.path, name), "utf8")]),
    );
  }

  private isRead(name: string): boolean {
    const stat = statSync(join(this.path, name), { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size <= SIZE_MAX_BYTES;
  }

  text(name: string): string | undefined {
    const path = join(this.path, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  /**
   * Writes all files under other names first and renames them, in their order, at the end: none is ever
   * half written.
   * @param before what the files said when they were read. Where one says something else by now, or
   *   was never read, nothing is written.
   */
  publish(files: Files, before?: Files): void {
    const temporary = [...files].map(([name, text]) => {
      const path = join(this.path, name);
      return { path, text, draft: draftOf(path) };
    });
    for (const { path } of temporary) assertReplaceable(path);
    try {
      for (const { path, draft, text } of temporary) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(draft, text);
        if (existsSync(path)) chmodSync(draft, statSync(path).mode);
      }
      if (before) this.assertUnchanged([...files.keys()], before);
      for (const { path, draft } of temporary) renameSync(draft, path);
    } finally {
      for (const { draft } of temporary) rmSync(draft, { force: true });
    }
  }

  private assertUnchanged(names: readonly string[], before: Files): void {
    for (const name of names) {
      if (this.text(name) === before.get(name)) continue;
      throw new Error(
        `${join(this.path, name)} is not what was read a moment ago, so nothing was written. Run the command again: it continues with what it has read of the account.`,
      );
    }
  }

  /** Keeps a text that only this user may read, in a folder that only this user may open. */
  keep(name: string, text: string): void {
    this.makePrivate();
    const draft = draftOf(join(this.path, name));
    writeFileSync(draft, text, { mode: PRIVATE_FILE });
    renameSync(draft, join(this.path, name));
  }

  /** Keeps a text like `keep`, unless there is one already; false: there is. */
  keepNew(name: string, text: string): boolean {
    this.makePrivate();
    try {
      writeFileSync(join(this.path, name), text, { mode: PRIVATE_FILE, flag: "wx" });
      return true;
    } catch (error) {
      if (existsSync(join(this.path, name))) return false;
      throw error;
    }
  }

  /** Folders above it are not private: the program is in them. */
  private makePrivate(): void {
    mkdirSync(dirname(this.path), { recursive: true });
    mkdirSync(this.path, { recursive: true, mode: PRIVATE_FOLDER });
  }

  names(): string[] {
    return this.isThere() ? readdirSync(this.path) : [];
  }

  remove(name: string): void {
    rmSync(join(this.path, name), { recursive: true, force: true });
  }

  /** Removes the folder where nothing is in it. */
  removeEmpty(): void {
    if (this.isThere() && this.names().length === 0) rmdirSync(this.path);
  }
}

/** @throws Error where something is there that a new file would destroy, or cut off from others */
function assertReplaceable(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isFile()) return;
  const why = stat.isSymbolicLink()
    ? "is a link, and what it leads to may belong to another program as well"
    : "is not a file";
  throw new Error(`${path} ${why}, so nothing was written.`);
}
