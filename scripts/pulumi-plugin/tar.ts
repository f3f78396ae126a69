/** Gzipped tar archives, as Pulumi downloads plugins: few files, the same bytes for the same input. */
import { gzipSync } from "node:zlib";
import type { PluginFile } from "./launcher";

const BLOCK = 512;

export const tarball = (files: readonly PluginFile[]): Buffer =>
  gzipSync(Buffer.concat([...files.flatMap(entry), Buffer.alloc(BLOCK * 2)]), { level: 9 });

const entry = ({ name, content, executable }: PluginFile): Buffer[] => [
  header(name, content.length, executable ? 0o755 : 0o644),
  content,
  Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
];

/** POSIX ustar, owned by nobody in particular and without a time. */
function header(name: string, size: number, mode: number): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number): string =>
    `${value.toString(8).padStart(width - 1, "0")}\0`;
  bytes.write(name, 0, 100);
  bytes.write(octal(mode, 8), 100);
  bytes.write(octal(0, 8), 108);
  bytes.write(octal(0, 8), 116);
  bytes.write(octal(size, 12), 124);
  bytes.write(octal(0, 12), 136);
  bytes.write(" ".repeat(8), 148);
  bytes.write("0", 156);
  bytes.write("ustar\u000000", 257);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return bytes;
}
