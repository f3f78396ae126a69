/** Figures with all that one must know to repeat them: when, from what, with what and where. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import type { ZodType } from "zod";
import type { Circumstances } from "./figures";

const ROOT = join(__dirname, "..", "..");

const load = (): number => Number((loadavg()[0] ?? 0).toFixed(2));

/** What Git says; a machine without it, or sources without their history, still measure. */
function git(...args: readonly string[]): string {
  try {
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: [...stdio] }).trim();
  } catch {
    return "unknown";
  }
}

/** The first line that has digits: `v3.253.0`, `OpenTofu v1.12.6`. */
const versionOf = (program: string): string =>
  execFileSync(program, ["version"], { encoding: "utf8" })
    .split("\n")
    .find((line) => /\d/.test(line))
    ?.replace(/^\D*/, "") ?? "unknown";

export interface Recording {
  readonly name: string;
  readonly about: string;
  /** Those that take part, by name; those that do not tell their version, with it. */
  readonly programs?: readonly (string | readonly [name: string, version: string])[];
  /** As a person types it. */
  readonly command: string;
  readonly folder: string;
}

/** Runs what is measured, and leaves what it found in a folder, in the form of the checkout's files. */
export async function recorded<R extends Circumstances>(
  schema: ZodType<R>,
  { name, about, programs = [], command, folder }: Recording,
  run: () => Promise<object>,
): Promise<R> {
  const [measuredAt, loadBefore] = [new Date().toISOString(), load()];
  // What is measured, even if someone commits meanwhile.
  const commit = git("rev-parse", "--short=12", "HEAD");
  /** Whether the working tree differs from it: other figures of the same day change no code. */
  const changed = git("status", "--porcelain", "--", ".", ":!docs/figures", ":!docs/figures.md");
  const versions = programs.map((program): readonly [string, string] =>
    typeof program === "string" ? [program, versionOf(program)] : program,
  );
  const found = await run();
  const [processor] = cpus();
  const report = schema.parse({
    ...{ name, about, command, commit, changed: changed !== "", measuredAt },
    machine: {
      processor: processor?.model.trim() ?? "unknown",
      cores: cpus().length,
      memoryGib: Math.round(totalmem() / 1024 ** 3),
      system: `${type()} ${release()}`,
      node: process.version,
      load: [loadBefore, load()],
    },
    programs: Object.fromEntries(versions),
    ...found,
  });
  // Loaded only here: jest cannot load it.
  const { format } = require("prettier") as typeof import("prettier");
  const options = { parser: "json", printWidth: 100 };
  mkdirSync(folder, { recursive: true });
  const text = await format(JSON.stringify(report), options);
  writeFileSync(join(folder, `${name}.json`), text);
  return report;
}
