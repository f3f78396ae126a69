/** The file in an archive that a forge makes of an artifact. */
import { inflateRawSync } from "node:zlib";
import { ForgeError } from "./forge";

const END = 0x06054b50;
const END_LENGTH = 22;
const COMMENT_LENGTH_MAX = 65_535;
const ENTRY = 0x02014b50;
const ENTRY_LENGTH = 46;
const LOCAL = 0x04034b50;
const LOCAL_LENGTH = 30;
const DEFLATED = 8;
const BYTES_MAX = 256 * 1024 ** 2;

/** The first file of a zip archive. @throws ForgeError where there is none, or it is damaged */
export function firstFile(bytes: Uint8Array): Uint8Array {
  try {
    return read(Buffer.from(bytes));
  } catch {
    throw new ForgeError("The artifact is not an archive with a saved plan.", undefined);
  }
}

function read(zip: Buffer): Uint8Array {
  // Sizes are in the directory at the end; an archive that was streamed has none at its files.
  const entry = zip.readUInt32LE(endOf(zip) + 16);
  if (zip.readUInt32LE(entry) !== ENTRY || zip.length < entry + ENTRY_LENGTH) throw new Error();
  const method = zip.readUInt16LE(entry + 10);
  const size = zip.readUInt32LE(entry + 20);
  const local = zip.readUInt32LE(entry + 42);
  if (zip.readUInt32LE(local) !== LOCAL) throw new Error();
  const names = zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const start = local + LOCAL_LENGTH + names;
  const data = zip.subarray(start, start + size);
  if (data.length !== size) throw new Error();
  return method === DEFLATED ? inflateRawSync(data, { maxOutputLength: BYTES_MAX }) : data;
}

function endOf(zip: Buffer): number {
  const least = Math.max(0, zip.length - END_LENGTH - COMMENT_LENGTH_MAX);
  for (let at = zip.length - END_LENGTH; at >= least; at -= 1) {
    if (zip.readUInt32LE(at) === END) return at;
  }
  throw new Error();
}
