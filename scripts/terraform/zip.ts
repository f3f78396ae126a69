/** Zip files, as providers are distributed in: few files, the same bytes for the same input. */
import { crc32, deflateRawSync } from "node:zlib";

export interface Entry {
  readonly name: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

const DEFLATE = 8;
const VERSION_UNIX = 0x031e;
const VERSION_NEEDED = 20;
/** 1980-01-01, the earliest that the format knows. */
const DATE = 0x0021;

interface Written extends Entry {
  readonly deflated: Buffer;
  readonly offset: number;
}

export function zip(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const written: Written[] = [];
  let offset = 0;
  for (const entry of entries) {
    const deflated = deflateRawSync(entry.content, { level: 6 });
    const header = localHeader(entry, deflated);
    written.push({ ...entry, deflated, offset });
    parts.push(header, deflated);
    offset += header.length + deflated.length;
  }
  const directory = Buffer.concat(written.map(directoryEntry));
  return Buffer.concat([...parts, directory, end(written.length, directory.length, offset)]);
}

/** The members that both headers share. */
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

function directoryEntry(entry: Written): Buffer {
  const head = Buffer.alloc(6);
  head.write("PK\x01\x02", 0, "latin1");
  head.writeUInt16LE(VERSION_UNIX, 4);
  const tail = Buffer.alloc(14);
  const mode = entry.executable ? 0o100755 : 0o100644;
  tail.writeUInt32LE((mode << 16) >>> 0, 6);
  tail.writeUInt32LE(entry.offset, 10);
  return Buffer.concat([head, common(entry, entry.deflated), tail, Buffer.from(entry.name)]);
}

function end(count: number, size: number, offset: number): Buffer {
  const bytes = Buffer.alloc(22);
  bytes.write("PK\x05\x06", 0, "latin1");
  bytes.writeUInt16LE(count, 8);
  bytes.writeUInt16LE(count, 10);
  bytes.writeUInt32LE(size, 12);
  bytes.writeUInt32LE(offset, 16);
  return bytes;
}
