/** Programs that only a test needs, installed from pinned versions into the user's cache. */
import { createHash, randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "../../scripts/bootstrap/lock.cjs";
import { lastLines, runProgram } from "../../scripts/bootstrap/programs.cjs";
import { baseFolder } from "../../scripts/engines/cache.cjs";

const INSTALL_MS_MAX = 15 * 60_000;

export interface Tools {
  /** First part of the name of its folder in the cache. */
  readonly name: string;
  /** Folder of the pins. */
  readonly from: string;
  /** Files in it that the installation is made from. */
  readonly pins: readonly string[];
  readonly install: (folder: string) => Promise<void>;
}

/** A cached folder as the pins say, made by whoever comes first; changed pins make another one. */
export async function cachedTools({ name, from, pins, install }: Tools): Promise<string> {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const pin of pins) hash.update(readFileSync(join(from, pin)));
  const folder = join(
    baseFolder(process.env),
    "release",
    `${name}-${hash.digest("hex").slice(0, 16)}`,
  );
  return withLock(`${folder}.lock`, name, async () => {
    if (existsSync(folder)) return folder;
    const draft = `${folder}.${randomUUID()}`;
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    try {
      for (const pin of pins) cpSync(join(from, pin), join(draft, pin));
      await install(draft);
      renameSync(draft, folder);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    return folder;
  });
}

/** Runs a step of an installation. @throws Error with the end of what it printed */
export async function must(program: string, words: readonly string[], cwd: string): Promise<void> {
  const options = { cwd, env: process.env, timeoutMs: INSTALL_MS_MAX };
  const { code, output } = await runProgram(program, words, options);
  if (code === 0) return;
  throw new Error(`${program} ${words.join(" ")} failed:\n${lastLines(output, 20)}`);
}
