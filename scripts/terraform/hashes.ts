/** The two hashes by which a lock file knows a package. */
import { createHash } from "node:crypto";
import type { Entry } from "./zip";

const sha256 = (content: Buffer | string) => createHash("sha256").update(content);

/** Of a package's files, however they are packed. */
export function contentHash(entries: readonly Entry[]): string {
  const lines = [...entries]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, content }) => `${sha256(content).digest("hex")}  ${name}\n`);
  return `h1:${sha256(lines.join("")).digest("base64")}`;
}

/** Of the zip file itself, as its checksum. */
export const zipHash = (bytes: Buffer): string => sha256(bytes).digest("hex");
