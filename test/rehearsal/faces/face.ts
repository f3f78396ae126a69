import { findProgram, runProgram } from "../../../scripts/bootstrap/programs.cjs";
import type { NodeRelease } from "../registries/all";
import { SYSTEM, type Stage } from "../stage";
import type { Program } from "../stranger";

/** One value of `--only`. */
export interface Face {
  readonly name: string;
  readonly about: string;
  rehearse(stage: Stage): Promise<void>;
}

export const onNode = ({ version }: NodeRelease): string => `${SYSTEM}, Node.js ${version}`;

/** Programs of this machine. @throws Error where one is missing */
export function machine(...names: readonly string[]): Record<string, Program> {
  return Object.fromEntries(
    names.map((name) => {
      const file = findProgram(name, process.env["PATH"] ?? "");
      if (file === undefined) throw new Error(`${name} is not on PATH`);
      return [name, { file }];
    }),
  );
}

const SHOWN_CHARS_MAX = 300;

/** @throws Error with what was printed */
export function expectText(printed: string, wanted: RegExp): void {
  if (wanted.test(printed)) return;
  const shown = printed
    .trim()
    .replaceAll(/\s*\n\s*/g, " | ")
    .slice(0, SHOWN_CHARS_MAX);
  throw new Error(`prints "${shown}", not ${String(wanted)}`);
}

/** The interpreter itself: what is on PATH may be a shim that needs a person's settings. */
export async function python(): Promise<Record<string, Program>> {
  const words = ["-c", "import sys; print(sys.executable)"];
  const { code, stdout } = await runProgram("python3", words, {
    env: process.env,
    timeoutMs: 60_000,
  });
  if (code !== 0) throw new Error("python3 is not on PATH");
  const file = stdout.trim();
  return { python: { file }, python3: { file } };
}

const NETWORK = ["PIP_CERT", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];

/** How this machine reaches the index that ours sends pip to for packages of others. */
export const reachOutside = (): Record<string, string> =>
  Object.fromEntries(
    NETWORK.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
