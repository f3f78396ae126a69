/** The files that git knows or would take, with their text. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** A text that people or tools wrote. */
export interface TrackedFile {
  /** Below the checkout, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Files that are tracked, or new and not ignored; binary files are left out. */
export const trackedFiles = (root: string): readonly TrackedFile[] =>
  trackedPaths(root)
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
    .filter(({ text }) => !text.includes("\0"));

/** A fresh clone with the same dependencies: what is built or generated there disturbs nobody. */
export function copyCheckout(root: string, into: string): void {
  for (const path of trackedPaths(root)) cpSync(join(root, path), join(into, path));
  symlinkSync(join(root, "node_modules"), join(into, "node_modules"));
}

/** Below the checkout, with slashes, in git's order. */
export function trackedPaths(root: string): string[] {
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  return execFileSync("git", words, { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)));
}
