/** A stranger's machine: an empty home, an empty folder, an engine, and what its owner wrote. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { describe } from "@jest/globals";
import { startCommand, type CommandResult } from "../../harness/command";
import { hasEngine, onPath, titled, type EngineName } from "../../harness/terraform-workspace";
import { BOTH } from "./engines";

const TIMEOUT_MS = 2 * 60_000;

/** Where each engine looks for its settings in a home. */
const SETTINGS = { terraform: ".terraformrc", tofu: ".tofurc" } as const;

/** Groups claims by engine; they are skipped without the engine, or gpg, which signs a release. */
export function describeWith(about: string, claims: (engine: EngineName) => void): void {
  const hasGpg = onPath("gpg") !== undefined;
  for (const engine of BOTH) {
    const group = hasGpg && hasEngine(engine) ? describe : describe.skip;
    group(`${about}, with ${titled(engine)}:`, () => claims(engine));
  }
}

export interface Stranger {
  readonly folder: string;
  write(file: string, text: string): void;
  settings(text: string): void;
  /** Runs the engine; a failure is an answer. */
  run(...args: readonly string[]): Promise<CommandResult>;
  /** Runs lines of a shell, in which `terraform` is the engine. */
  shell(lines: string): Promise<CommandResult>;
  remove(): void;
}

/** @param env what leads the engine to the hosts of a test */
export function stranger(engine: EngineName, env: Readonly<Record<string, string>>): Stranger {
  const folder = mkdtempSync(join(tmpdir(), "erphost-stranger-"));
  const home = join(folder, "home");
  mkdirSync(home);
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  const all = {
    PATH: [dirname(onPath(engine) ?? ""), "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    CHECKPOINT_DISABLE: "1",
    ...env,
  };
  const start = (program: string, args: readonly string[]): Promise<CommandResult> =>
    startCommand(program, args, { folder, env: all, timeoutMs: TIMEOUT_MS, onOutput: undefined })
      .finished;
  return {
    folder,
    write,
    settings: (text) => write(join("home", SETTINGS[engine]), text),
    run: (...args) => start(onPath(engine) ?? engine, args),
    shell: (lines) => start("sh", ["-ec", lines.replace(/\bterraform(?= )/g, engine)]),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
