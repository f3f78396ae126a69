/**
 * One folder with a configuration, driven through the real command line of Terraform or OpenTofu:
 * the provider comes from `dist/terraform-mirror`, nothing from a registry or the person's
 * setup. Used by the demo, the tests and the benchmarks.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readIfThere, writeFiles } from "../../scripts/bootstrap/files.cjs";
import { findProgram } from "../../scripts/bootstrap/programs.cjs";
import { ERPHOST, platformOf } from "../../scripts/release/terraform/layout";
import { installed } from "./versions.cjs";
import { MACHINE_CACHE, startCommand, type CommandResult, type RunningCommand } from "./command";

export type { CommandResult } from "./command";

const root = join(__dirname, "..", "..");
export const MIRROR = join(root, "dist/terraform-mirror");
export type EngineName = "terraform" | "tofu";

/** Where each engine looks for a provider whose source names no host. */
export const REGISTRY = {
  terraform: "registry.terraform.io",
  tofu: "registry.opentofu.org",
} as const satisfies Readonly<Record<EngineName, string>>;

const PLATFORM = platformOf(process.platform, process.arch);

export interface WorkspaceOptions {
  readonly engine: EngineName;
  /** Variables of the provider: `ERPHOST_BASE_URL` and so on. */
  readonly env: Readonly<Record<string, string>>;
  /** Default: the workspace that every folder has. */
  readonly workspace?: string;
  /** Another workspace of the same folder and configuration. */
  readonly sibling?: TerraformWorkspace;
  /** Folders with other providers than ours. */
  readonly mirrors?: readonly string[];
  /** Called with what commands print, as they print it. */
  readonly onOutput?: (text: string) => void;
  /** What starts its commands. */
  readonly within?: readonly string[] | undefined;
}

/** What a plan would do to one object. */
export type PlannedChange = Awaited<ReturnType<TerraformWorkspace["changes"]>>[number];

export type StateValues = Readonly<Record<string, unknown>>;

interface StoredResource {
  readonly module?: string;
  readonly mode: "managed" | "data";
  readonly type: string;
  readonly name: string;
  readonly instances: readonly {
    readonly index_key?: string | number;
    readonly deposed?: string;
    readonly attributes: StateValues;
  }[];
}

const TIMEOUT_MS = 5 * 60_000;
const PLAN = "plan.bin";

export const onPath = (program: string): string | undefined =>
  findProgram(program, process.env["PATH"] ?? "");

export const hasEngine = (engine: EngineName): boolean => onPath(engine) !== undefined;

/** An engine with the version that is on PATH, for titles: a run on an older one counts for that. */
export const titled = (engine: EngineName): string =>
  [engine, installed(engine)[0]?.version].filter(Boolean).join(" ");

/** The engine of a claim that is about the provider, and the same whatever engine asks it. */
export const ONE_ENGINE: EngineName = hasEngine("tofu") ? "tofu" : "terraform";

/** Variables with which engines take providers from the mirrors alone. @param folder of the settings */
export function fromMirrors(folder: string, more: readonly string[] = []) {
  const mirrors = [MIRROR, ...more].map(
    (path) => `  filesystem_mirror {\n    path = ${JSON.stringify(path)}\n  }\n`,
  );
  writeFiles(folder, { "cli.tfrc": `provider_installation {\n${mirrors.join("")}}\n` });
  return { TF_CLI_CONFIG_FILE: join(folder, "cli.tfrc"), CHECKPOINT_DISABLE: "1" };
}

/** Where what is made from the sources for a run of the tests is kept. */
const MADE = join(root, "node_modules/.cache/made");

const madeHere = new Set<string>();

/**
 * Makes something in the first test file that needs it, and not again in the same run of jest,
 * whichever process its files are in. Elsewhere, such as in a benchmark, once per process.
 * @param result what there is afterwards
 * @param make leaves alone what is up to date, and can bear a second process that does the same
 */
function oncePerRun(name: string, result: string, make: () => void): void {
  const id = process.env["ERPHOST_TEST_RUN"];
  // A copy of the checkout, which a test changes, may share this folder and has made nothing yet.
  const run = id === undefined ? undefined : `${id} ${__dirname}`;
  const isMade = madeHere.has(name) || (run !== undefined && readIfThere(join(MADE, name)) === run);
  if (isMade && existsSync(result)) return;
  make();
  madeHere.add(name);
  if (run === undefined) return;
  writeFiles(MADE, { [name]: run });
}

/** Builds the mirror where it is missing or stale; checked once per run of the tests. */
export const buildMirror = (): void => {
  oncePerRun("terraform-mirror", MIRROR, () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ["-r", "ts-node/register", "scripts/release/terraform/main.ts"],
      { cwd: root, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] },
    );
    if (status !== 0) throw new Error(`the provider could not be built:\n${stderr}`);
  });
};

export class TerraformWorkspace {
  /** Everything that commands write is below it. */
  readonly folder: string;
  readonly env: Record<string, string>;

  private constructor(private readonly options: WorkspaceOptions) {
    this.folder = options.sibling?.folder ?? mkdtempSync(join(tmpdir(), "erphost-terraform-"));
    for (const name of ["home", "tmp"]) mkdirSync(join(this.folder, name), { recursive: true });
    this.env = {
      PATH: process.env["PATH"] ?? "",
      HOME: join(this.folder, "home"),
      TMPDIR: join(this.folder, "tmp"),
      ...fromMirrors(this.folder, options.mirrors),
      TF_IN_AUTOMATION: "1",
      ERPHOST_INTENTS_DIR: join(this.folder, "intents"),
      ...MACHINE_CACHE,
      ...options.env,
    };
  }

  /** Writes the configuration and initialises; an empty one has nothing to initialise. */
  static async create(options: WorkspaceOptions, configuration: string) {
    const { engine, workspace, sibling } = options;
    const created = new TerraformWorkspace(options);
    created.write("main.tf", configuration);
    const needsInit = !sibling && configuration !== "" && !created.layOut(configuration);
    const commands = [
      ...(needsInit ? [["init"]] : []),
      ...(workspace === undefined ? [] : [["workspace", "new", workspace]]),
    ];
    for (const command of commands) {
      const { code, output } = await created.run(...command);
      if (code !== 0) throw new Error(`${engine} ${command.join(" ")} failed:\n${output}`);
    }
    if (workspace !== undefined) created.env["TF_WORKSPACE"] = workspace;
    return created;
  }

  /**
   * What `init` leaves for a program that uses our provider alone, laid out without the engine: a
   * link into the mirror and the lock file, which the build of the mirror makes. That `init` leaves
   * the same is a claim of its own (test/e2e/release/terraform/distribution). @returns whether that is all
   */
  private layOut(configuration: string): boolean {
    const { engine, mirrors, onOutput } = this.options;
    const lock = join(MIRROR, "../terraform-lock", `${REGISTRY[engine]}.lock.hcl`);
    const needsMore = /^\s*(?:module|terraform)\b/m.test(configuration.slice(HEADER.length));
    // Somebody who watches is shown what people run; who brings a provider needs no mirror.
    const isOurs = onOutput === undefined && mirrors === undefined && existsSync(lock);
    if (!isOurs || needsMore || !configuration.startsWith(HEADER)) return false;
    const place = join(REGISTRY[engine], ERPHOST.source, ERPHOST.version);
    const providers = join(this.folder, ".terraform/providers", place);
    mkdirSync(providers, { recursive: true });
    symlinkSync(join(MIRROR, place, PLATFORM), join(providers, PLATFORM));
    copyFileSync(lock, join(this.folder, ".terraform.lock.hcl"));
    return true;
  }

  write(file: string, text: string): void {
    writeFiles(this.folder, { [file]: text });
  }

  /** Any command; a failure is an answer, not an exception. */
  run(...args: string[]): Promise<CommandResult> {
    return this.start(args).finished;
  }

  /** Starts a command, so that it can be interrupted or killed. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningCommand {
    const [command = "", ...rest] = args;
    const plain = ["workspace", "state", "providers", "fmt"].includes(command) ? [] : ["-no-color"];
    return startCommand(this.options.engine, [command, ...plain, ...rest], {
      folder: this.folder,
      env: { ...this.env, ...env },
      timeoutMs: TIMEOUT_MS,
      onOutput: this.options.onOutput,
      within: this.options.within,
      stateFile: this.stateFile,
    });
  }

  apply(...args: string[]): Promise<CommandResult> {
    return this.run("apply", "-auto-approve", "-input=false", ...args);
  }

  destroy(...args: string[]): Promise<CommandResult> {
    return this.run("destroy", "-auto-approve", "-input=false", ...args);
  }

  /** 0: nothing to do, 1: failed, 2: changes. */
  plan(...args: string[]): Promise<CommandResult> {
    return this.run("plan", "-input=false", "-detailed-exitcode", ...args);
  }

  /** Applies what `changes` or `planned` has planned, without planning again. */
  applyPlanned(): Promise<CommandResult> {
    return this.run("apply", "-input=false", PLAN);
  }

  /** The changes that a plan would make, those without a change left out. */
  async changes(...args: string[]) {
    return (await this.planned(...args)).changes;
  }

  /** What a plan says, and the changes that it would make. */
  async planned(...args: string[]) {
    const planned = await this.run("plan", "-input=false", `-out=${PLAN}`, ...args);
    if (planned.code !== 0) throw new Error(`plan failed:\n${planned.output}`);
    const { stdout } = await this.run("show", "-json", PLAN);
    // As the engines document it.
    const plan = JSON.parse(stdout) as {
      resource_changes?: { address: string; change: { actions: string[]; importing?: unknown } }[];
    };
    const changes = (plan.resource_changes ?? [])
      .map(({ address, change }) => ({
        address,
        actions: change.actions,
        importing: change.importing !== undefined,
      }))
      .filter(
        ({ actions, importing }) => importing || (actions[0] !== "no-op" && actions[0] !== "read"),
      );
    return { output: planned.output, changes };
  }

  /** Attributes of every object in the state, by address; those of modules are left out. */
  async state(): Promise<Readonly<Record<string, StateValues>>> {
    // A state elsewhere has no file here; both are as the engines write them.
    return valuesIn(this.stateText() || (await this.run("state", "pull")).stdout);
  }

  get stateFile(): string {
    const { workspace } = this.options;
    const place = workspace === undefined ? [] : ["terraform.tfstate.d", workspace];
    return join(this.folder, ...place, "terraform.tfstate");
  }

  /** The state file's text; empty where there is none. */
  stateText(): string {
    return existsSync(this.stateFile) ? readFileSync(this.stateFile, "utf8") : "";
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Attributes of every object in a state's text, by address; those of modules are left out. */
export function valuesIn(text: string): Readonly<Record<string, StateValues>> {
  const { resources = [] } = JSON.parse(text || "{}") as { resources?: StoredResource[] };
  const entries = resources
    .filter(({ module }) => module === undefined)
    .flatMap(({ mode, type, name, instances }) =>
      instances
        .filter(({ deposed }) => deposed === undefined)
        .map(({ index_key: index, attributes }) => {
          const address = `${mode === "data" ? "data." : ""}${type}.${name}`;
          const at = index === undefined ? "" : `[${JSON.stringify(index)}]`;
          return [address + at, attributes] as const;
        }),
    );
  return Object.fromEntries(entries);
}

/** The beginning of every configuration. */
export const HEADER = `terraform {
  required_providers {
    erphost = {
      source = "erphost/erphost"
    }
  }
}

provider "erphost" {}

`;
