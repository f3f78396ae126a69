/** The only place where `erphost import` touches the file system. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
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

  /** Texts of the files directly in it whose names match. */
  read(names: RegExp): Map<string, string> {
    if (!existsSync(this.path)) return new Map();
    const entries = readdirSync(this.path, { withFileTypes: true })
      .filter((entry) => entry.isFile() && names.test(entry.name))
      .map(({ name }) => name)
      .sort();
    return new Map(
      entries
        .filter((name) => statSync(join(this.path, name)).size <= SIZE_MAX_BYTES)
        .map((name) => [name, readFileSync(join(this.path, name), "utf8")]),
    );
  }

  text(name: string): string | undefined {
    const path = join(this.path, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  /** Writes all files under other names first and renames them at the end: none is ever half written. */
  publish(files: Files): void {
    const temporary = [...files].map(([name, text]) => {
      const path = join(this.path, name);
      return { path, text, draft: draftOf(path) };
    });
    const blocked = temporary.find(({ path }) => existsSync(path) && !statSync(path).isFile());
    if (blocked) throw new Error(`${blocked.path} is not a file, so nothing was written.`);
    try {
      for (const { path, draft, text } of temporary) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(draft, text);
        if (existsSync(path)) chmodSync(draft, statSync(path).mode);
      }
      for (const { path, draft } of temporary) renameSync(draft, path);
    } finally {
      for (const { draft } of temporary) rmSync(draft, { force: true });
    }
  }

  /** Keeps a text that only this user may read, in a folder that only this user may open. */
  keep(name: string, text: string): void {
    mkdirSync(this.path, { recursive: true, mode: PRIVATE_FOLDER });
    const draft = draftOf(join(this.path, name));
    writeFileSync(draft, text, { mode: PRIVATE_FILE });
    renameSync(draft, join(this.path, name));
  }

  remove(name?: string): void {
    rmSync(name === undefined ? this.path : join(this.path, name), {
      recursive: true,
      force: true,
    });
  }
}
