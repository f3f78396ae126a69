/**
 * Archives as plugins are distributed in: tar for Pulumi, zip for Terraform. They hold few files,
 * and the same files always give the same bytes, which users and lock files know by their hashes.
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { zipSync, type Zippable } from "fflate";
import { Header } from "tar";

/** A file of a plugin's folder. */
export interface Entry {
  readonly name: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

/** A text as a file. */
export const textEntry = (name: string, text: string, executable = false): Entry => ({
  name,
  content: Buffer.from(text),
  executable,
});

const modeOf = ({ executable }: Entry): number => (executable ? 0o755 : 0o644);

/** Writes the files into a folder, which it creates. */
export function writeEntries(folder: string, entries: readonly Entry[]): void {
  mkdirSync(folder, { recursive: true });
  for (const entry of entries) {
    writeFileSync(join(folder, entry.name), entry.content, { mode: modeOf(entry) });
  }
}

const BLOCK = 512;

/** A gzipped tar archive, whose members have no owner and no time. */
export const tarball = (entries: readonly Entry[]): Buffer =>
  gzipSync(Buffer.concat([...entries.flatMap(tarMember), Buffer.alloc(BLOCK * 2)]), { level: 9 });

function tarMember(entry: Entry): Buffer[] {
  const { name: path, content } = entry;
  const header = Buffer.alloc(BLOCK);
  const about = { path, mode: modeOf(entry), size: content.length, uid: 0, gid: 0 };
  new Header({ ...about, type: "File", mtime: new Date(0) }).encode(header);
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}

const REGULAR_FILE = 0o100000;
/** Whose modes a member of a zip has. */
const UNIX = 3;
/** The earliest that the format knows, in any time zone. */
const DATE = new Date(1980, 0, 1);

/** A zip archive. */
export function zip(entries: readonly Entry[]): Buffer {
  const members: Zippable = {};
  for (const entry of entries) {
    const attrs = ((REGULAR_FILE | modeOf(entry)) << 16) >>> 0;
    members[entry.name] = [entry.content, { level: 6, os: UNIX, attrs, mtime: DATE }];
  }
  return Buffer.from(zipSync(members));
}

const sha256 = (content: Buffer | string) => createHash("sha256").update(content);

/** Of a package's files, however they are packed: the `h1:` of lock files. */
export function contentHash(entries: readonly Entry[]): string {
  const lines = [...entries]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, content }) => `${sha256(content).digest("hex")}  ${name}\n`);
  return `h1:${sha256(lines.join("")).digest("base64")}`;
}

/** Of an archive itself. */
export const checksum = (bytes: Buffer): string => sha256(bytes).digest("hex");

/** A line of a checksums file, as `sha256sum` writes it. */
export const checksumLine = (file: string, bytes: Buffer): string =>
  `${checksum(bytes)}  ${file}\n`;
