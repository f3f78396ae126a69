/** The engine under the smallest host, in a process of its own: no face, and hundreds of trials. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundled, type Edit } from "../support/bundle";
import { spawned } from "../support/spawned";
import type { HostProgram, HostState } from "./engine-host";
import type { Declared, Face, Manner, Run, Site, SiteOptions } from "./face";

const EMPTY: HostState = { objects: {}, condemned: [] };

class EngineSite implements Site {
  readonly folder: string;
  private readonly stack: string;
  private env: NodeJS.ProcessEnv;
  private program: HostProgram;

  constructor(
    options: SiteOptions,
    private readonly edits: readonly Edit[] = [],
  ) {
    this.folder = options.beside?.folder ?? mkdtempSync(join(tmpdir(), "erphost-engine-"));
    this.stack = options.stack ?? "dev";
    this.env = { PATH: process.env["PATH"], ERPHOST_INTENTS_DIR: this.intentsFolder };
    this.configure(options.env);
    mkdirSync(this.intentsFolder, { recursive: true });
    this.program = { objects: [], settings: {} };
    writeFileSync(this.stateFile, JSON.stringify(EMPTY));
    writeFileSync(this.log, "", { flag: "a" });
  }

  get intentsFolder(): string {
    return join(this.folder, "intents");
  }
  private get log(): string {
    return join(this.folder, "output.log");
  }
  private get stateFile(): string {
    return join(this.folder, `${this.stack}.json`);
  }

  /** Its state file is its own and plain, unlike those of real hosts. */
  get mayHoldNoSecret(): readonly string[] {
    return [this.intentsFolder, this.log];
  }

  configure(env: Readonly<Record<string, string>>): void {
    this.env = { ...this.env, ...env };
  }

  declare(objects: readonly Declared[]): void {
    this.program = { ...this.program, objects };
  }

  startUp({ replace = [] }: Manner = {}): Run {
    return this.start("apply", replace);
  }

  async preview() {
    const outcome = await this.start("preview").finished;
    return { ...outcome, empty: outcome.code === 0 };
  }

  refresh(parallel?: number) {
    return this.start("refresh", parallel === undefined ? [] : [String(parallel)]).finished;
  }

  async destroy() {
    const { program } = this;
    this.declare([]);
    const outcome = await this.start("apply").finished;
    this.program = program;
    return outcome;
  }

  async unlock(): Promise<void> {
    // It locks nothing.
  }

  async ids() {
    const { objects } = JSON.parse(await this.saveState()) as HostState;
    return Object.fromEntries(Object.entries(objects).map(([name, { state }]) => [name, state.id]));
  }

  async saveState(): Promise<string> {
    return readFileSync(this.stateFile, "utf8");
  }

  async restoreState(state: string): Promise<void> {
    writeFileSync(this.stateFile, state);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private start(command: string, names: readonly string[] = []): Run {
    writeFileSync(join(this.folder, `${this.stack}.program.json`), JSON.stringify(this.program));
    const host = bundled(require.resolve("./engine-host"), this.edits);
    const child = spawned(process.execPath, [host, command, this.stack, ...names], {
      cwd: this.folder,
      env: this.env,
      log: this.log,
    });
    return {
      finished: child.finished,
      killAll: child.kill,
      killHost: child.kill,
      killProvider: () => false,
    };
  }
}

const ONE_PROCESS = "host and engine are one process; see the kill of all";

export const engineFace: Face = {
  name: "engine",
  pace: "quick",
  cannot: {
    "kill-provider": ONE_PROCESS,
    "kill-host": ONE_PROCESS,
    interrupt: "its host has no orderly interruption",
    manners: "its host applies all that is declared",
    count: "its host has no word for twins",
  },
  missing: () => undefined,
  open: async (options) => new EngineSite(options),
};

/** The engine with its lists turned: newest first, as services give them, and believed as seen. */
export const naiveEngine: Face = {
  ...engineFace,
  open: async (options) =>
    new EngineSite(options, [
      ['order: "asc"', 'order: "desc"'],
      ["if (walk.countsAddUp) return keep(walk, listeners);", ""],
      ["order.check(page, all.records);", ""],
      ["walks.filter(({ begunAt }) => begunAt >= question.askedAt)", "walks"],
      ["PATIENCE_WALKS = 4", "PATIENCE_WALKS = 1"],
      ["proving.length >= 2", "proving.length >= 1"],
    ]),
};
