/** The only place where `erphost import` touches the file system. */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";

export type Files = ReadonlyMap<string, string>;

/** Larger files are not read: no person wrote them. */
const SIZE_MAX_BYTES = 64 * 1024 * 1024;
/** No program reads a file of such a name, and no name can be known before it is made. */
const DRAFT = /^(.+)\.[0-9a-f]{16}\.part$/;
/** Windows has none. */
const NO_FOLLOW: number | undefined = fs.constants.O_NOFOLLOW;

/** A folder that may not exist yet. */
export class Folder {
  constructor(readonly path: string) {}

  isThere(): boolean {
    return this.stat()?.isDirectory() === true;
  }

  /** Whether something is there that is not a folder, such as a link to nothing. */
  isSomethingElse(): boolean {
    const stat = this.stat() ?? fs.lstatSync(this.path, { throwIfNoEntry: false });
    return stat?.isDirectory() === false;
  }

  /** Whether such a file can be written: nothing is there, or a file itself rather than a link. */
  mayHold(name: string): boolean {
    return fs.lstatSync(join(this.path, name), { throwIfNoEntry: false })?.isFile() !== false;
  }

  /** Undefined: nothing is there. @throws Error where that cannot be known */
  private stat(): fs.Stats | undefined {
    return fs.statSync(this.path, { throwIfNoEntry: false });
  }

  /** Texts of files whose names match, also behind links: an engine reads them, too. */
  read(names: RegExp): Map<string, string> {
    if (this.stat() === undefined) return new Map();
    const entries = fs
      .readdirSync(this.path)
      .filter((name) => names.test(name) && this.isRead(name));
    return new Map(
      entries.sort().map((name) => [name, fs.readFileSync(join(this.path, name), "utf8")]),
    );
  }

  private isRead(name: string): boolean {
    const stat = fs.statSync(join(this.path, name), { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size <= SIZE_MAX_BYTES;
  }

  /** Undefined: there is no such file. @throws Error where it is a link */
  text(name: string): string | undefined {
    const path = join(this.path, name);
    if (!isFile(path)) return undefined;
    // A link may have taken its place since.
    const file = fs.openSync(path, fs.constants.O_RDONLY | (NO_FOLLOW ?? 0));
    try {
      return fs.readFileSync(file, "utf8");
    } finally {
      fs.closeSync(file);
    }
  }

  /**
   * Writes all files under other names first and renames them, in their order, at the end: none is ever
   * half written, and none is written through a link.
   * @param before what the files said when they were read. Where one says something else by now, or
   *   was never read, nothing is written.
   */
  publish(files: Files, before?: Files): void {
    for (const name of files.keys()) isFile(join(this.path, name));
    makeFolder(this.path);
    this.removeDrafts(files);
    const drafts = new Map<string, string>();
    try {
      for (const [name, text] of files) {
        const path = join(this.path, name);
        const mode = isFile(path) ? fs.lstatSync(path).mode & 0o777 : undefined;
        drafts.set(path, draftOf(path, text, mode));
      }
      if (before) this.assertUnchanged([...files.keys()], before);
      for (const [path, draft] of drafts) fs.renameSync(draft, path);
    } finally {
      for (const draft of drafts.values()) unlinked(draft);
    }
  }

  /** Those of these files that a killed run left. */
  private removeDrafts(files: Files): void {
    for (const name of fs.readdirSync(this.path)) {
      const path = join(this.path, name);
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      if (!files.has(DRAFT.exec(name)?.[1] ?? "") || stat === undefined) continue;
      if (stat.isFile() && isOurs(stat)) unlinked(path);
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

  removeEmpty(): void {
    if (this.isThere() && fs.readdirSync(this.path).length === 0) fs.rmdirSync(this.path);
  }
}

/**
 * Makes a folder and those above it where they are not there. Node's own `recursive` never returns
 * where a file system denies that a folder exists and that it can be made, as `/proc` does.
 */
export function makeFolder(path: string, mode?: number, mayMakeAbove = true): void {
  try {
    fs.mkdirSync(path, { mode });
  } catch (error) {
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || !mayMakeAbove || dirname(path) === path) {
      throw new Error(`${path} is not a folder, and cannot be made (${code}).`);
    }
    makeFolder(dirname(path), mode);
    makeFolder(path, mode, false);
  }
}

/** @throws Error where something else is, which a new file would destroy, or cut off from others */
function isFile(path: string): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (stat.isFile()) return true;
  const why = stat.isSymbolicLink()
    ? "is a link, and what it leads to may belong to another program as well"
    : "is not a file";
  throw new Error(`${path} ${why}, so nothing was written.`);
}

/** Writes a file next to the path, whatever links are there, and answers its path. */
export function draftOf(path: string, text: string, mode: number | undefined): string {
  const draft = `${path}.${randomBytes(8).toString("hex")}.part`;
  // Fails where something is there already, a link to nothing included.
  const file = fs.openSync(draft, "wx", mode);
  try {
    fs.writeFileSync(file, text);
    if (mode !== undefined) fs.fchmodSync(file, mode);
    return draft;
  } catch (error) {
    unlinked(draft);
    throw error;
  } finally {
    fs.closeSync(file);
  }
}

/** Whether this user made it. Windows has no owners here. */
export const isOurs = ({ uid }: fs.Stats): boolean =>
  process.getuid === undefined || uid === process.getuid();

/** Removes a file or a link, and nothing that it leads to. */
export function unlinked(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
