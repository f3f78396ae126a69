/** The files that git knows or would take, with their text. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface TrackedFile {
  /** Below the checkout, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Files that are tracked, or new and not ignored; those that are no text are left out. */
export function trackedFiles(root: string): readonly TrackedFile[] {
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", words, { cwd: root, encoding: "utf8" });
  return listed
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
    .filter(({ text }) => !text.includes("\0"));
}
