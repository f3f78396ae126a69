import { spawnSync } from "node:child_process";

/** Runs git as somebody, in a folder. @returns what it printed @throws Error with what it said */
export function git(cwd: string, ...words: readonly string[]): string {
  const who = ["-c", "user.name=one", "-c", "user.email=one@example.com"];
  const options = { cwd, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync("git", [...who, ...words], options);
  if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout.trim();
}
