/** A repository that machines clone, with a branch of a pull request. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Files } from "./rig";

/** Where the guides have the program. */
const PROGRAM = "infra";

export class Origin {
  readonly folder = mkdtempSync(join(tmpdir(), "erphost-origin-"));
  private branches = 0;
  private open: string | undefined;

  /** @param files of the first commit on main, by their paths from the top */
  constructor(files: Files) {
    git(this.folder, "init", "--quiet", "--initial-branch", "main");
    this.add(files);
  }

  /** The branch of the pull request; undefined where none is open. */
  get branch(): string | undefined {
    return this.open;
  }

  commitOf(ref: string): string {
    return git(this.folder, "rev-parse", ref).trim();
  }

  /** Of the program, on the branch of the pull request. @returns whether it is a new one */
  change(files: Files): boolean {
    const isNew = this.open === undefined;
    this.open ??= `change-${(this.branches += 1)}`;
    git(this.folder, "checkout", "--quiet", ...(isNew ? ["-b"] : []), this.open);
    const paths = Object.entries(files).map(([path, text]) => [join(PROGRAM, path), text] as const);
    this.add(Object.fromEntries(paths));
    git(this.folder, "checkout", "--quiet", "main");
    return isNew;
  }

  private add(files: Files): void {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    git(this.folder, "add", "--all");
    git(this.folder, "commit", "--quiet", "--message", "a change");
  }

  /** Closes the pull request, which is not merged. */
  abandon(): void {
    this.open = undefined;
  }

  /** @returns the commit of the merge */
  merge(): string {
    const branch = this.open;
    if (branch === undefined) throw new Error("no pull request is open");
    git(this.folder, "merge", "--quiet", "--no-ff", "--message", "a merge", branch);
    this.open = undefined;
    return this.commitOf("main");
  }

  /** A clone, as a runner makes it. @param remote the address that it believes to be cloned from */
  clone(into: string, ref: string, remote: string): void {
    git(this.folder, "clone", "--quiet", "--branch", ref, this.folder, into);
    git(into, "remote", "set-url", "origin", remote);
    git(into, "remote", "set-head", "origin", "main");
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function git(cwd: string, ...words: readonly string[]): string {
  const who = ["-c", "user.name=one", "-c", "user.email=one@example.com"];
  const options = { cwd, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync("git", [...who, ...words], options);
  if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout;
}
