/** The headers of HTTP/2 as they travel: HPACK, RFC 7541. Read in full; written without compression. */

/** Bytes of the peer's table of recent headers, and of all headers of one call. */
const TABLE_BYTES_MAX = 4096;
const HEADERS_BYTES_MAX = 1024 * 1024;
/** What an entry of the table counts besides its text (section 4.1). */
const ENTRY_BYTES = 32;

/** The peer's headers cannot be read, so that no later ones could be either. */
export class MalformedHeaders extends Error {}

export type Headers = ReadonlyMap<string, string>;
type Header = readonly [name: string, value: string];

/** Appendix A: headers that have a number from the start. */
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
    .map((entry) => {
      const [name = "", ...words] = entry.split(" ");
      return [name, words.join(" ")];
    });

/**
 * Appendix B: the length in bits of each byte's code, as a digit of base 36. The codes follow from
 * them, because shorter ones come first and those of one length are in the order of their bytes.
 */
const CODE_LENGTHS =
  "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde" +
  "6f56565666577666567655677777fbedskmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmm" +
  "nqqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq";
/** What a text may end with: fewer bits than a byte has, all of them set. */
const PADDING_BITS_MAX = 7;

/** For each node two members, one for each bit: the next node, or a byte as its complement. */
function codeTree(): Int32Array {
  const lengths = [...CODE_LENGTHS].map((digit) => Number.parseInt(digit, 36));
  const bytes = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  const tree = [0, 0];
  let code = 0;
  let last = 0;
  for (const byte of bytes) {
    const length = lengths[byte] ?? 0;
    code *= 2 ** (length - last);
    last = length;
    let node = 0;
    for (let bit = length - 1; bit >= 0; bit -= 1) {
      const at = node * 2 + ((code >>> bit) & 1);
      if (bit > 0 && !tree[at]) tree[at] = tree.push(0, 0) / 2 - 1;
      if (bit === 0) tree[at] = ~byte;
      node = tree[at] ?? 0;
    }
    code += 1;
  }
  return Int32Array.from(tree);
}

let tree: Int32Array | undefined;

/** @throws MalformedHeaders */
function textOfCode(bytes: Buffer): string {
  tree ??= codeTree();
  let text = "";
  let node = 0;
  let rest = 0; // Bits since the last byte.
  let isPadding = true;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      const set = (byte >>> bit) & 1;
      node = tree[node * 2 + set] ?? 0;
      [rest, isPadding] = [rest + 1, isPadding && set === 1];
      if (node >= 0) continue;
      text += String.fromCharCode(~node);
      [node, rest, isPadding] = [0, 0, true];
    }
  }
  if (rest > PADDING_BITS_MAX || !isPadding)
    throw new MalformedHeaders("a text ends inside a code");
  return text;
}

/** Reads the headers of one connection, each block of which may build on the ones before. */
export class HeaderReader {
  private readonly recent: Header[] = [];
  private recentBytes = 0;
  private tableBytes = TABLE_BYTES_MAX;
  private block: Buffer = Buffer.alloc(0);
  private at = 0;

  /** The last of several headers with one name wins. @throws MalformedHeaders */
  read(block: Buffer): Headers {
    [this.block, this.at] = [block, 0];
    const headers = new Map<string, string>();
    let bytes = 0;
    while (this.at < block.length) {
      const header = this.next(block[this.at] ?? 0);
      if (!header) continue;
      bytes += sizeOf(header);
      if (bytes > HEADERS_BYTES_MAX)
        throw new MalformedHeaders("the headers are larger than 1 MiB");
      headers.set(...header);
    }
    return headers;
  }

  /** Section 6: what begins with `first`. Nothing where that changes the table's size. */
  private next(first: number): Header | undefined {
    if (first & 0x80) return this.numbered(this.integer(7));
    if ((first & 0xe0) === 0x20) {
      this.tableBytes = this.integer(5);
      if (this.tableBytes > TABLE_BYTES_MAX) throw new MalformedHeaders("the table is too large");
      this.forget();
      return undefined;
    }
    const isKept = (first & 0x40) !== 0;
    const number = this.integer(isKept ? 6 : 4);
    const name = number === 0 ? this.text() : this.numbered(number)[0];
    const header = [name, this.text()] as const;
    if (isKept) {
      this.recent.unshift(header);
      this.recentBytes += sizeOf(header);
      this.forget();
    }
    return header;
  }

  private forget(): void {
    while (this.recentBytes > this.tableBytes) {
      this.recentBytes -= sizeOf(this.recent.pop() ?? ["", ""]);
    }
  }

  private numbered(number: number): Header {
    const header = STATIC[number - 1] ?? this.recent[number - 1 - STATIC.length];
    if (!header) throw new MalformedHeaders(`there is no header ${number}`);
    return header;
  }

  private byte(): number {
    const byte = this.block[this.at];
    if (byte === undefined) throw new MalformedHeaders("the headers end inside a header");
    this.at += 1;
    return byte;
  }

  /** Section 5.1: in the lowest bits of a byte and, where those are all set, in the bytes after. */
  private integer(bits: number): number {
    const most = 2 ** bits - 1;
    let value = this.byte() & most;
    if (value < most) return value;
    for (let factor = 1; factor <= 2 ** 21; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new MalformedHeaders("a number is too large");
  }

  private text(): string {
    const isCoded = ((this.block[this.at] ?? 0) & 0x80) !== 0;
    const length = this.integer(7);
    const bytes = this.block.subarray(this.at, this.at + length);
    if (bytes.length < length) throw new MalformedHeaders("the headers end inside a text");
    this.at += length;
    return isCoded ? textOfCode(bytes) : bytes.toString("latin1");
  }
}

const sizeOf = ([name, value]: Header): number => name.length + value.length + ENTRY_BYTES;

/** Headers as a block that leaves the table of whoever reads it alone. */
export const headerBlock = (headers: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.of(0), coded(name), coded(value)]),
  );

function coded(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const length = [Math.min(bytes.length, 0x7f)];
  if (bytes.length >= 0x7f) {
    let rest = bytes.length - 0x7f;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) length.push((rest % 128) | 0x80);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}
