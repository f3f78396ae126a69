/** The headers of HTTP/2 as they travel: HPACK, RFC 7541. Read in full; written without compression. */
import { MalformedMessage, Reader, Writer } from "./wire-format";

/** Bytes of the peer's dynamic table, and of all headers of one call. */
const TABLE_BYTES_MAX = 4096;
const HEADERS_BYTES_MAX = 1024 * 1024;
/** What an entry of the table counts besides its text (section 4.1). */
const ENTRY_BYTES = 32;
/** Sets a table's size to 0 (section 6.3), as a peer that lowered it has to read first. */
const NO_TABLE = 0x20;

export type Headers = ReadonlyMap<string, string>;
type Header = readonly [name: string, value: string];

/** Appendix A: the static table. */
const STATIC: readonly Header[] =
  `:authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|
  :status 200|:status 204|:status 206|:status 304|:status 400|:status 404|:status 500|
  accept-charset|accept-encoding gzip, deflate|accept-language|accept-ranges|accept|
  access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|
  content-encoding|content-language|content-length|content-location|content-range|content-type|
  cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|
  if-unmodified-since|last-modified|link|location|max-forwards|proxy-authenticate|
  proxy-authorization|range|referer|refresh|retry-after|server|set-cookie|
  strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate`
    .split(/\|\s*/)
    .map((entry) => [entry.replace(/ .*/, ""), entry.replace(/^\S+ ?/, "")]);

/**
 * Appendix B: the length in bits of each byte's code, as a digit of base 36. The codes follow from
 * them, because shorter ones come first and those of one length are in the order of their bytes.
 */
const CODE_LENGTHS =
  "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde" +
  "6f56565666577666567655677777fbedskmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmm" +
  "nqqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq";
/** Of each length: the first code, and the bytes that have it and those after it. */
function codesByLength() {
  const lengths = [...CODE_LENGTHS].map((digit) => Number.parseInt(digit, 36));
  let next = 0;
  return Array.from({ length: 31 }, (_, length) => {
    const bytes = lengths.flatMap((one, byte) => (one === length ? [byte] : []));
    const first = next;
    next = (first + bytes.length) * 2;
    return { first, bytes };
  });
}

let codes: ReturnType<typeof codesByLength> | undefined;

/** @throws MalformedMessage */
function textOfCode(coded: Buffer): string {
  codes ??= codesByLength();
  let text = "";
  let [code, length] = [0, 0];
  for (const byte of coded) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = code * 2 + ((byte >>> bit) & 1);
      length += 1;
      const ofLength = codes[length];
      if (!ofLength) throw new MalformedMessage("a text has a code that no byte has");
      const found = ofLength.bytes[code - ofLength.first];
      if (found === undefined) continue;
      text += String.fromCharCode(found);
      [code, length] = [0, 0];
    }
  }
  if (length > 7 || code !== 2 ** length - 1) throw new MalformedMessage("a text ends in a code");
  return text;
}

/** Reads the headers of one connection, each block of which may build on the ones before. */
export class HeaderReader {
  private readonly table: Header[] = [];
  private tableBytes = 0;
  private tableBytesMax = TABLE_BYTES_MAX;

  /** The last of several headers with one name wins. @throws MalformedMessage */
  read(block: Buffer): Headers {
    const reader = new Reader(block);
    const headers = new Map<string, string>();
    let bytes = 0;
    while (!reader.isAtEnd) {
      const header = this.next(reader);
      if (!header) continue;
      bytes += sizeOf(header);
      if (bytes > HEADERS_BYTES_MAX)
        throw new MalformedMessage("the headers are larger than 1 MiB");
      headers.set(...header);
    }
    return headers;
  }

  /** Section 6. Nothing where it only changes the table's size. */
  private next(reader: Reader): Header | undefined {
    const first = reader.byte();
    if (first & 0x80) return this.indexed(integer(reader, first, 7));
    if ((first & 0xe0) === 0x20) {
      this.tableBytesMax = integer(reader, first, 5);
      if (this.tableBytesMax > TABLE_BYTES_MAX) throw new MalformedMessage("a table is too large");
      this.evict();
      return undefined;
    }
    const isIndexed = (first & 0x40) !== 0;
    const index = integer(reader, first, isIndexed ? 6 : 4);
    const name = index === 0 ? text(reader) : this.indexed(index)[0];
    const header = [name, text(reader)] as const;
    if (isIndexed) {
      this.table.unshift(header);
      this.tableBytes += sizeOf(header);
      this.evict();
    }
    return header;
  }

  private evict(): void {
    while (this.tableBytes > this.tableBytesMax) {
      this.tableBytes -= sizeOf(this.table.pop() ?? ["", ""]);
    }
  }

  private indexed(index: number): Header {
    const header = STATIC[index - 1] ?? this.table[index - 1 - STATIC.length];
    if (!header) throw new MalformedMessage(`there is no header ${index}`);
    return header;
  }
}

const sizeOf = ([name, value]: Header): number => name.length + value.length + ENTRY_BYTES;

/** Section 5.1: in the lowest bits of a byte and, where those are all set, in the bytes after. */
function integer(reader: Reader, first: number, bits: number): number {
  const most = 2 ** bits - 1;
  const value = first & most;
  return value < most ? value : most + reader.varint();
}

function text(reader: Reader): string {
  const first = reader.byte();
  const bytes = reader.take(integer(reader, first, 7));
  return first & 0x80 ? textOfCode(bytes) : bytes.toString("latin1");
}

/** Headers as a block for every connection: it says that it needs no table, and adds nothing to it. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const writer = new Writer();
  writer.byte(NO_TABLE);
  for (const header of Object.entries(headers)) {
    writer.byte(0);
    for (const part of header) {
      const most = 0x7f;
      writer.byte(Math.min(part.length, most));
      if (part.length >= most) writer.varint(part.length - most);
      writer.copy(Buffer.from(part, "latin1"));
    }
  }
  return writer.done();
}
