/** Figures with all that one must know to repeat them: when, from what, with what and where. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { reportSchema, type Circumstances, type Figure, type Report } from "./figures";

const ROOT = join(__dirname, "..", "..");

/** Who measured what; begun before the measurement. */
export type Measurement = ReturnType<typeof startMeasurement>;

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

/**
 * To be called before anything is measured.
 * @param programs that take part, by name; those that do not tell their version, with it
 */
export const startMeasurement = (
  name: string,
  about: string,
  programs: readonly (string | readonly [name: string, version: string])[] = [],
) => ({
  ...{ name, about, startedAt: new Date(), loadBefore: load() },
  // What is measured, even if someone commits meanwhile.
  commit: git("rev-parse", "--short=12", "HEAD"),
  /** Whether the working tree differs from it: other figures of the same day change no code. */
  changed: git("status", "--porcelain", "--", ".", ":!docs/figures", ":!docs/figures.md") !== "",
  /** Versions of the programs that take part. */
  programs: Object.fromEntries(
    programs.map((program) =>
      typeof program === "string" ? [program, versionOf(program)] : program,
    ),
  ),
});

/** Of a measurement that has just ended. @param command as a person types it */
export function circumstancesOf(
  { name, about, startedAt, loadBefore, programs, commit, changed }: Measurement,
  command: string,
): Circumstances {
  const [processor] = cpus();
  return {
    name,
    about,
    command,
    commit,
    changed,
    measuredAt: startedAt.toISOString(),
    machine: {
      processor: processor?.model.trim() ?? "unknown",
      cores: cpus().length,
      memoryGib: Math.round(totalmem() / 1024 ** 3),
      system: `${type()} ${release()}`,
      node: process.version,
      load: [loadBefore, load()],
    },
    programs,
  };
}

/**
 * Measures, and leaves every sample in a folder.
 * @param command as a person types it
 * @param run what is measured
 */
export async function reported(
  measurement: Measurement,
  { command, folder }: { readonly command: string; readonly folder: string },
  run: () => Promise<readonly Figure[]>,
): Promise<Report> {
  const figures = await run();
  const report = reportSchema.parse({ ...circumstancesOf(measurement, command), figures });
  await writeFigures(folder, report);
  return report;
}

/** Writes a report into a folder, in the form that the checkout's files have. */
export async function writeFigures(folder: string, report: Circumstances): Promise<void> {
  // Loaded only here: jest cannot load it.
  const { format } = require("prettier") as typeof import("prettier");
  const options = { parser: "json", printWidth: 100 };
  mkdirSync(folder, { recursive: true });
  const text = await format(JSON.stringify(report), options);
  writeFileSync(join(folder, `${report.name}.json`), text);
}
