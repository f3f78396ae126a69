/** The engine under the smallest possible host: without a face, for hundreds of trials. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../../harness/command";
import { bundled } from "../support/bundle";
import type { Values } from "../../../provider/contract";
import type { HostState } from "./engine-host";
import type { ApplyMode, Declared, Face, Run, Site, SiteOptions } from "./face";

const TIMEOUT_MS = 5 * 60_000;
const EMPTY: HostState = { objects: {}, replaced: [] };

class EngineSite implements Site {
  private folder: string;
  private env: Readonly<Record<string, string>>;
  private objects: readonly Declared[] = [];

  constructor(private readonly options: SiteOptions) {
    this.folder = newFolder();
    this.env = options.env;
    this.moveIn(JSON.stringify(EMPTY));
  }

  private moveIn(state: string): void {
    mkdirSync(this.intentsFolder, { recursive: true });
    writeFileSync(this.stateFile, state);
    writeFileSync(this.log, "", { flag: "a" });
  }

  get intentsFolder(): string {
    return join(this.folder, "intents");
  }
  private get log(): string {
    return join(this.folder, "output.log");
  }
  private get stateFile(): string {
    return join(this.folder, "dev.json");
  }

  /** Unlike those of real hosts, its state file is plain. */
  get secretFreePaths(): readonly string[] {
    return [this.intentsFolder, this.log];
  }

  configure(env: Readonly<Record<string, string>>): void {
    this.env = { ...this.env, ...env };
  }

  declare(objects: readonly Declared[]): void {
    this.objects = objects;
  }

  startUp({ replace = [] }: ApplyMode = {}): Run {
    return this.start("apply", replace);
  }

  async preview() {
    const outcome = await this.start("preview").finished;
    return { ...outcome, empty: outcome.code === 0 };
  }

  refresh(parallel?: number) {
    return this.start("refresh", parallel === undefined ? [] : [String(parallel)]).finished;
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

  async moveOn(): Promise<void> {
    const state = await this.saveState();
    this.close();
    this.folder = newFolder();
    this.moveIn(state);
  }

  async outputs(name: string): Promise<Values> {
    const { objects } = JSON.parse(await this.saveState()) as HostState;
    return objects[name]?.state.values ?? {};
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private start(command: string, names: readonly string[] = []): Run {
    writeFileSync(join(this.folder, "dev.program.json"), JSON.stringify(this.objects));
    const host = bundled(require.resolve("./engine-host"));
    const run = startCommand(process.execPath, [host, command, "dev", ...names], {
      folder: this.folder,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: this.folder,
        ERPHOST_INTENTS_DIR: this.intentsFolder,
        ...this.env,
      },
      within: this.options.within,
      timeoutMs: TIMEOUT_MS,
      onOutput: (text) => appendFileSync(this.log, text),
    });
    const kill = (): void => run.kill();
    return { finished: run.finished, killAll: kill, killHost: kill, killProvider: () => false };
  }
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), "erphost-engine-"));

const ONE_PROCESS = "host and engine are one process: see the kill of everything";

const REPLACED = "its host is none of those that replace: the model of the engine plays both";

export const engineFace: Face = {
  name: "engine",
  pace: "quick",
  stopsAtOnce: true,
  cannot: {
    "kill-provider": ONE_PROCESS,
    "kill-host": ONE_PROCESS,
    "real-replace": REPLACED,
    "unseen-replace": REPLACED,
    interrupt: "its host handles no Ctrl-C",
    modes: "its host always applies everything",
    count: "its host has no count",
    "two-stacks": "its host has one stack",
  },
  missing: () => undefined,
  open: async (options) => new EngineSite(options),
};
