/** The hashes by which users and lock files recognise a package. */
import { createHash } from "node:crypto";
import type { Entry } from "./archive";

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
