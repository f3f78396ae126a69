/** A repository of its own with the files of this checkout, for tests that change or publish them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyCheckout } from "../../scripts/check/tracked";

const ROOT = join(__dirname, "..", "..");

export interface Repository {
  readonly folder: string;
  /** @throws Error where git fails */
  git(...words: readonly string[]): string;
  remove(): void;
}

/** With one commit, on the branch main, and no tags. */
export function copyRepository(): Repository {
  const folder = mkdtempSync(join(tmpdir(), "erphost-repository-"));
  copyCheckout(ROOT, folder);
  const git = (...words: readonly string[]): string => {
    const who = ["-c", "user.name=one", "-c", "user.email=one@example.com"];
    const options = { cwd: folder, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync("git", [...who, ...words], options);
    if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
    return stdout;
  };
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "a checkout");
  return { folder, git, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
