/** Somebody with an empty home and the programs of their trade, who writes below one folder. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../../scripts/bootstrap/files.cjs";
import {
  lastLines,
  startProgram,
  type Finished,
  type Running,
} from "../../scripts/bootstrap/programs.cjs";

const COMMAND_MS_MAX = 15 * 60_000;

/** A program of the machine, by its path; or a shell script, by its text. */
export type Program = { readonly file: string } | { readonly script: string };

export interface Belongings {
  /** By the name that they are called by. */
  readonly programs: Readonly<Record<string, Program>>;
  readonly env: Readonly<Record<string, string>>;
}

export class Stranger {
  /** Where they work; empty at first. */
  readonly folder: string;
  readonly home: string;
  readonly env: Record<string, string>;

  /** @param place a folder of their own, which is made */
  constructor(place: string, { programs, env }: Belongings) {
    this.folder = join(place, "project");
    this.home = join(place, "home");
    const bin = join(place, "bin");
    const temporary = join(place, "tmp");
    for (const folder of [this.folder, this.home, bin, temporary]) {
      mkdirSync(folder, { recursive: true });
    }
    for (const [name, program] of Object.entries(programs)) {
      if ("file" in program) symlinkSync(program.file, join(bin, name));
      else writeFileSync(join(bin, name), program.script, { mode: 0o755 });
    }
    this.env = {
      PATH: `${bin}:/usr/bin:/bin`,
      HOME: this.home,
      TMPDIR: temporary,
      LANG: "C.UTF-8",
      NO_COLOR: "1",
      CI: "true",
      XDG_CACHE_HOME: join(this.home, ".cache"),
      XDG_CONFIG_HOME: join(this.home, ".config"),
      XDG_DATA_HOME: join(this.home, ".local", "share"),
      XDG_STATE_HOME: join(this.home, ".local", "state"),
      ...env,
    };
  }

  /** Writes files of the project, by their path in it. @param folder in place of the project's */
  write(files: Readonly<Record<string, string>>, folder = this.folder): void {
    writeFiles(folder, files);
  }

  /** Writes a file of their home that nobody else may read. */
  writeAtHome(name: string, text: string): void {
    const file = join(this.home, name);
    writeFileSync(file, text);
    chmodSync(file, 0o600);
  }

  start(program: string, ...words: readonly string[]): Running {
    return startProgram(program, words, {
      cwd: this.folder,
      env: this.env,
      timeoutMs: COMMAND_MS_MAX,
      group: true,
    });
  }

  /** Runs a command; a failure is an answer. */
  try(program: string, ...words: readonly string[]): Promise<Finished> {
    return this.start(program, ...words).finished;
  }

  /** Runs a command. @throws Error with the end of its output if it fails */
  async run(program: string, ...words: readonly string[]): Promise<Finished> {
    const finished = await this.try(program, ...words);
    if (finished.code === 0) return finished;
    throw new Error(
      `${[program, ...words].join(" ")} exits with ${String(finished.code)}:\n${lastLines(finished.output, 30)}`,
    );
  }
}
