/** A stack in a temporary folder: the real command line, a local backend, a home of its own. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseDocument } from "yaml";
import { MACHINE_CACHE, startCommand, type CommandResult, type RunningCommand } from "./command";

export type { CommandResult } from "./command";

const root = join(__dirname, "..", "..");

export interface StackOptions {
  /** Folder of the program; it is copied. */
  readonly program: string;
  /** Variables of the provider: `ERPHOST_BASE_URL` and so on. */
  readonly env: Readonly<Record<string, string>>;
  /** Called with what commands print, as they print it. */
  readonly onOutput?: (text: string) => void;
  /** What starts its commands. */
  readonly within?: readonly string[] | undefined;
}

const TIMEOUT_MS = 10 * 60_000;
const PASSPHRASE = "correct horse battery staple";
/** What `pulumi stack init` writes for that passphrase. */
const SALT = "v1:l3291BHVqRk=:v1:RFBNEdft1yn3vuxA:cVuMQEUG19FtU+A2frpgnDAm/qiD+g==";

export class PulumiStack {
  readonly stack = "dev";
  readonly env: Record<string, string>;

  private constructor(
    /** Everything that commands write is below it. */
    readonly folder: string,
    private readonly options: StackOptions,
  ) {
    this.env = {
      PATH: process.env["PATH"] ?? "",
      HOME: join(folder, "home"),
      TMPDIR: join(folder, "tmp"),
      PULUMI_HOME: join(folder, "home", ".pulumi"),
      // Without attribute files next to the state: a kill may leave half of one, which Pulumi
      // cannot read.
      PULUMI_BACKEND_URL: `file://${join(folder, "backend")}?metadata=skip`,
      PULUMI_STACK: this.stack,
      PULUMI_CONFIG_PASSPHRASE: PASSPHRASE,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK: "true",
      ERPHOST_INTENTS_DIR: join(folder, "intents"),
      ...MACHINE_CACHE,
      PULUMI_NODEJS_TRANSPILE_ONLY: "true", // Examples are type-checked by `npm run check`.
      NO_COLOR: "1",
      ...compileCache(),
      ...options.env,
    };
  }

  /** Copies the program, links the packages it imports, and creates the stack. */
  static async create(options: StackOptions): Promise<PulumiStack> {
    const folder = mkdtempSync(join(tmpdir(), "erphost-stack-"));
    const stack = new PulumiStack(folder, options);
    mkdirSync(join(folder, "backend"));
    stack.moveIn();
    if (stack.hasOwnBackend) {
      stack.initialise();
      return stack;
    }
    const { code, output } = await stack.run("stack", "init", stack.stack);
    if (code !== 0) throw new Error(`pulumi stack init failed:\n${output}`);
    return stack;
  }

  private get hasOwnBackend(): boolean {
    return this.options.env["PULUMI_BACKEND_URL"] === undefined;
  }

  /** The files of an empty stack, as `stack init` leaves them, because that takes no command. */
  private initialise(): void {
    mkdirSync(dirname(this.stateFile), { recursive: true });
    writeFileSync(join(this.folder, "backend", ".pulumi", "meta.yaml"), "version: 1\n");
    const checkpoint = { stack: `organization/${this.project}/${this.stack}`, latest: null };
    writeFileSync(this.stateFile, JSON.stringify({ version: 3, checkpoint }));
    const path = join(this.program, this.settingsFile);
    const kept = existsSync(path) ? readFileSync(path, "utf8") : "";
    writeFileSync(path, `encryptionsalt: ${SALT}\n${kept}`);
  }

  private moveIn(): void {
    for (const name of ["home", "intents", "tmp"]) mkdirSync(join(this.folder, name));
    cpSync(this.options.program, this.program, { recursive: true });
    linkPackages(this.program);
  }

  /** Another machine: it has the backend, the stack's settings as a repository keeps them, and nothing else. */
  moveOn(): void {
    const kept = this.settingsText();
    for (const name of readdirSync(this.folder).filter((each) => each !== "backend")) {
      rmSync(join(this.folder, name), { recursive: true, force: true });
    }
    this.moveIn();
    this.write(this.settingsFile, kept);
  }

  get program(): string {
    return join(this.folder, "program");
  }

  private get settingsFile(): string {
    return `Pulumi.${this.stack}.yaml`;
  }

  /** The stack's settings file, which people commit with the program. */
  settingsText(): string {
    return readFileSync(join(this.program, this.settingsFile), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.program, file), text);
  }

  /** Any Pulumi command; a failure is an answer, not an exception. */
  run(...args: string[]): Promise<CommandResult> {
    return this.start(args).finished;
  }

  /** Starts a command, so that it can be killed. */
  start(args: readonly string[]): RunningCommand {
    return startCommand("pulumi", [...args, "--non-interactive"], {
      folder: this.program,
      env: this.env,
      timeoutMs: TIMEOUT_MS,
      onOutput: this.options.onOutput,
      within: this.options.within,
      stateFile: this.hasOwnBackend ? this.stateFile : undefined,
    });
  }

  up(...args: string[]): Promise<CommandResult> {
    return this.run("up", "--yes", "--skip-preview", ...args);
  }

  preview(...args: string[]): Promise<CommandResult> {
    return this.run("preview", ...args);
  }

  refresh(...args: string[]): Promise<CommandResult> {
    return this.run("refresh", "--yes", "--skip-preview", ...args);
  }

  destroy(...args: string[]): Promise<CommandResult> {
    return this.run("destroy", "--yes", "--skip-preview", ...args);
  }

  async setConfig(key: string, value: string, ...args: string[]): Promise<void> {
    const { code, output } = await this.run("config", "set", key, value, ...args);
    if (code !== 0) throw new Error(`pulumi config set ${key} failed:\n${output}`);
  }

  /** Sets plain values in the settings file, as an editor does, because that takes no command. */
  configure(values: Readonly<Record<string, string>>): void {
    const settings = parseDocument(this.settingsText());
    for (const [key, value] of Object.entries(values)) {
      settings.setIn(["config", `${this.project}:${key}`], value);
    }
    // Quoted, because Pulumi's YAML reads a plain date as a time.
    const text = settings.toString({ defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" });
    this.write(this.settingsFile, text);
  }

  private get project(): string {
    const text = readFileSync(join(this.program, "Pulumi.yaml"), "utf8");
    return String(parseDocument(text).get("name"));
  }

  stateText(): string {
    return readFileSync(this.stateFile, "utf8");
  }

  get stateFile(): string {
    const stacks = join(this.folder, "backend", ".pulumi", "stacks");
    return join(stacks, this.project, `${this.stack}.json`);
  }

  /** Outputs of the stack, secrets in plain text. */
  async outputs(): Promise<Record<string, unknown>> {
    const { stdout } = await this.run("stack", "output", "--json", "--show-secrets");
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Where the tests have one, Pulumi's processes have one of their own, all with the same flags. */
function compileCache(): Record<string, string> {
  const shared = process.env["NODE_COMPILE_CACHE"];
  if (shared === undefined) return {};
  const { NODE_OPTIONS = "" } = process.env;
  const flags = `--require ${JSON.stringify(join(__dirname, "pulumi-flags.cjs"))}`;
  return {
    NODE_COMPILE_CACHE: join(shared, "pulumi"),
    NODE_OPTIONS: `${NODE_OPTIONS} ${flags}`.trim(),
  };
}

/** The packages that a program's own `npm install` would bring. */
function linkPackages(program: string): void {
  const modules = join(program, "node_modules");
  mkdirSync(join(modules, "@pulumi"), { recursive: true });
  const links = [
    ["erphost", root],
    ["@pulumi/pulumi", join(root, "node_modules", "@pulumi", "pulumi")],
    ["@types", join(root, "node_modules", "@types")],
    ["typescript", join(root, "node_modules", "typescript")],
    ["ts-node", join(root, "node_modules", "ts-node")],
  ] as const;
  for (const [name, target] of links) symlinkSync(target, join(modules, name), "junction");
}
