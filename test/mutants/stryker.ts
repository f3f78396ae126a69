/** StrykerJS over engine, client and kinds: every mutation that it knows, where the patches are chosen ones. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../../scripts/bootstrap/programs.cjs";

export interface StrykerOptions {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** Every Nth function; 1: all of them, which takes hours. */
  readonly sample: number;
  /** Which of them. */
  readonly seed: number;
  readonly onProgress?: (text: string) => void;
}

/** The part of Stryker's JSON report that is read. */
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly ReportedMutant[] }>>;
}

interface ReportedMutant {
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: { readonly line: number } };
}

const LIMIT_MS = 12 * 3_600_000;
/** By a test, or by a run that no longer ends. */
const DETECTED = ["Killed", "Timeout"];
const UNDETECTED = ["Survived", "NoCoverage"];

/** @throws Error if the run fails, or tried nothing */
export async function runStryker(options: StrykerOptions) {
  const { root, env, sample, seed, onProgress } = options;
  const report = join(root, "dist", "stryker.json");
  rmSync(report, { force: true });
  const words = ["node_modules/@stryker-mutator/core/bin/stryker.js", "run"];
  const { code, output } = await runProgram(
    process.execPath,
    [...words, "test/mutants/stryker.config.mjs"],
    {
      cwd: root,
      env: { ...env, ERPHOST_STRYKER_SAMPLE: `${sample}`, ERPHOST_STRYKER_SEED: `${seed}` },
      timeoutMs: LIMIT_MS,
      ...(onProgress && { onOutput: onProgress }),
    },
  );
  if (code !== 0) throw new Error(`StrykerJS failed:\n${output.slice(-2_000)}`);
  return strykerResult(JSON.parse(readFileSync(report, "utf8")) as Report);
}

/** @throws Error if the report holds no mutant that was tried */
export function strykerResult({ files }: Report) {
  const tried = Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants
      .filter(({ status }) => [...DETECTED, ...UNDETECTED].includes(status))
      .map((mutant) => ({ file, isDetected: DETECTED.includes(mutant.status), ...mutant })),
  );
  if (tried.length === 0) throw new Error("StrykerJS tried no mutant.");
  const survived = tried.filter(({ isDetected }) => !isDetected);
  /** Percent of all. */
  const scoreOf = (of: typeof tried): number =>
    Math.round((1_000 * of.filter(({ isDetected }) => isDetected).length) / of.length) / 10;
  const roomOf = ({ file }: { readonly file: string }) => file.split("/", 2).join("/");
  const ofRoom = (room: string) => {
    const own = tried.filter((mutant) => roomOf(mutant) === room);
    return { mutants: own.length, score: scoreOf(own) };
  };
  return {
    mutants: tried.length,
    detected: tried.length - survived.length,
    undetected: survived.length,
    score: scoreOf(tried),
    rooms: new Map(tried.map(roomOf).map((room) => [room, ofRoom(room)])),
    survivors: survived.map(({ file, location, mutatorName, replacement = "" }) => {
      const text = replacement.replaceAll(/\s+/g, " ").slice(0, 80);
      return `${file}:${location.start.line} ${mutatorName}: ${text}`;
    }),
  };
}
