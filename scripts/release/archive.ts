/**
 * Archives as plugins are distributed in: tar for Pulumi, zip for Terraform. They hold few files,
 * and the same files always give the same bytes.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";

/** A file of a plugin's folder. */
export interface Entry {
  readonly name: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

const modeOf = ({ executable }: Entry): number => (executable ? 0o755 : 0o644);

/** Writes the files into a folder, which it creates. */
export function writeEntries(folder: string, entries: readonly Entry[]): void {
  mkdirSync(folder, { recursive: true });
  for (const entry of entries) {
    writeFileSync(join(folder, entry.name), entry.content, { mode: modeOf(entry) });
  }
}

const BLOCK = 512;

/** A gzipped tar archive. */
export const tarball = (entries: readonly Entry[]): Buffer =>
  gzipSync(Buffer.concat([...entries.flatMap(tarMember), Buffer.alloc(BLOCK * 2)]), { level: 9 });

const tarMember = (entry: Entry): Buffer[] => [
  tarHeader(entry),
  entry.content,
  Buffer.alloc((BLOCK - (entry.content.length % BLOCK)) % BLOCK),
];

/** POSIX ustar, without an owner or a time. */
function tarHeader(entry: Entry): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number): string =>
    `${value.toString(8).padStart(width - 1, "0")}\0`;
  bytes.write(entry.name, 0, 100);
  bytes.write(octal(modeOf(entry), 8), 100);
  bytes.write(octal(0, 8), 108);
  bytes.write(octal(0, 8), 116);
  bytes.write(octal(entry.content.length, 12), 124);
  bytes.write(octal(0, 12), 136);
  bytes.write(" ".repeat(8), 148);
  bytes.write("0", 156);
  bytes.write("ustar\u000000", 257);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return bytes;
}

const DEFLATE = 8;
const VERSION_UNIX = 0x031e;
const VERSION_NEEDED = 20;
/** 1980-01-01, the earliest date that the format knows. */
const DATE = 0x0021;
const REGULAR_FILE = 0o100000;

interface ZipMember {
  readonly entry: Entry;
  readonly deflated: Buffer;
  readonly offset: number;
}

/** A zip archive. */
export function zip(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const members: ZipMember[] = [];
  let offset = 0;
  for (const entry of entries) {
    const deflated = deflateRawSync(entry.content, { level: 6 });
    const header = localHeader(entry, deflated);
    members.push({ entry, deflated, offset });
    parts.push(header, deflated);
    offset += header.length + deflated.length;
  }
  const directory = Buffer.concat(members.map(directoryEntry));
  return Buffer.concat([...parts, directory, zipEnd(members.length, directory.length, offset)]);
}

/** The fields that both headers share. */
function common({ name, content }: Entry, deflated: Buffer): Buffer {
  const bytes = Buffer.alloc(26);
  bytes.writeUInt16LE(VERSION_NEEDED, 0);
  bytes.writeUInt16LE(DEFLATE, 4);
  bytes.writeUInt16LE(DATE, 8);
  bytes.writeUInt32LE(crc32(content), 10);
  bytes.writeUInt32LE(deflated.length, 14);
  bytes.writeUInt32LE(content.length, 18);
  bytes.writeUInt16LE(Buffer.byteLength(name), 22);
  return bytes;
}

function localHeader(entry: Entry, deflated: Buffer): Buffer {
  const signature = Buffer.from("PK\x03\x04", "latin1");
  return Buffer.concat([signature, common(entry, deflated), Buffer.from(entry.name)]);
}

function directoryEntry({ entry, deflated, offset }: ZipMember): Buffer {
  const head = Buffer.alloc(6);
  head.write("PK\x01\x02", 0, "latin1");
  head.writeUInt16LE(VERSION_UNIX, 4);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(((REGULAR_FILE | modeOf(entry)) << 16) >>> 0, 6);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([head, common(entry, deflated), tail, Buffer.from(entry.name)]);
}

function zipEnd(count: number, size: number, offset: number): Buffer {
  const bytes = Buffer.alloc(22);
  bytes.write("PK\x05\x06", 0, "latin1");
  bytes.writeUInt16LE(count, 8);
  bytes.writeUInt16LE(count, 10);
  bytes.writeUInt32LE(size, 12);
  bytes.writeUInt32LE(offset, 16);
  return bytes;
}
