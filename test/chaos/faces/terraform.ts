/** Terraform and OpenTofu, through their real command lines. */
import { appendFileSync, copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Values } from "../../../provider/contract";
import { kinds } from "../../../provider/resources";
import {
  buildMirror,
  hasEngine,
  HEADER,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { referredBy } from "../support/camel";
import { killBelow } from "../support/descendants";
import type { Declared, Face, Manner, Run, Site, SiteOptions } from "./face";

/** As a state file has it. */
interface StateFile {
  readonly resources?: readonly {
    readonly mode: string;
    readonly type: string;
    readonly name: string;
    readonly instances: readonly {
      /** Of an object that was replaced and waits for its delete. */
      readonly deposed?: string;
      readonly index_key?: number;
      readonly attributes: { readonly id?: string };
    }[];
  }[];
}

const OUTPUT = "output.log";
const TRACE = "trace.log";
/** What is printed, traced and, of a crash of the engine itself, told. */
const LOGS = [OUTPUT, TRACE, "crash.log"] as const;

/** Where a plan is kept. */
const SAVED = "saved.bin";

const typeOf = (kind: string): string => `erphost_${kind}`;

/** A configuration as JSON; with a token, each object can be told from its twins after a crash. */
function configuration(objects: readonly Declared[], tokens: string | undefined): string {
  const resource: Record<string, Record<string, Values>> = {};
  const kindOf = (name: string) => objects.find((one) => one.name === name)?.kind ?? "";
  for (const { kind, name, args, count } of objects) {
    const given = Object.entries(args).map(([key, value]): [string, unknown] => {
      const to = referredBy(value);
      return [key, to === undefined ? value : `\${${typeOf(kindOf(to))}.${to}.id}`];
    });
    // The engines quote the program's lines in errors: secrets come as variables do.
    const secret = args["secret_properties"] !== undefined && {
      secret_properties: `\${var.secrets["${name}"]}`,
    };
    const hasToken = tokens !== undefined && kinds[kind]?.resource !== undefined;
    const which = count === undefined ? name : `${name}-\${count.index}`;
    (resource[typeOf(kind)] ??= {})[name] = {
      ...(count !== undefined && { count }),
      ...(hasToken && { idempotency_token: `${tokens}/${which}` }),
      ...Object.fromEntries(given),
      ...secret,
    };
  }
  const variable = { secrets: { type: "any", sensitive: true, default: {} } };
  return JSON.stringify({ variable, ...(objects.length > 0 && { resource }) }, undefined, 2);
}

const isJson = (text: string): boolean => {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
};

class TerraformSite implements Site {
  private objects: readonly Declared[] = [];

  private constructor(
    private readonly workspace: TerraformWorkspace,
    /** What tokens begin with. */
    private readonly tokens: string | undefined,
  ) {}

  static async open(engine: EngineName, options: SiteOptions): Promise<TerraformSite> {
    const { env, beside, stack, tokens } = options;
    buildMirror();
    const logs: string[] = [];
    const workspace = await TerraformWorkspace.create(
      {
        engine,
        env,
        ...(stack !== undefined && { workspace: stack }),
        ...(beside instanceof TerraformSite && { beside: beside.workspace }),
        onOutput: (text) => {
          for (const log of logs) appendFileSync(log, text);
        },
      },
      HEADER,
    );
    logs.push(join(workspace.folder, OUTPUT));
    for (const log of LOGS) writeFileSync(join(workspace.folder, log), "", { flag: "a" });
    return new TerraformSite(workspace, tokens === false ? undefined : (tokens ?? stack ?? "dev"));
  }

  get folder(): string {
    return this.workspace.folder;
  }
  get intentsFolder(): string {
    return this.workspace.env["ERPHOST_INTENTS_DIR"] ?? "";
  }
  /** Sensitive is not encrypted: the state holds secrets, as the documentation says. */
  get mayHoldNoSecret(): readonly string[] {
    return [this.intentsFolder, ...LOGS.map((log) => join(this.folder, log))];
  }

  logAll(): string {
    const file = join(this.folder, TRACE);
    this.configure({ TF_LOG: "TRACE", TF_LOG_PATH: file });
    return file;
  }

  configure(env: Readonly<Record<string, string>>): void {
    Object.assign(this.workspace.env, env);
  }

  declare(objects: readonly Declared[]): void {
    this.objects = objects;
    const secrets = objects.map(({ name, args }) => [name, args["secret_properties"] ?? null]);
    this.workspace.env["TF_VAR_secrets"] = JSON.stringify(Object.fromEntries(secrets));
    this.workspace.write("objects.tf.json", configuration(objects, this.tokens));
  }

  async startUp(manner: Manner = {}): Promise<Run> {
    const options = this.optionsOf(manner);
    if (manner.saved) {
      const { code, output } = await this.workspace.run("plan", `-out=${SAVED}`, ...options);
      if (code !== 0) throw new Error(`no plan could be saved:\n${output}`);
    }
    const what = manner.saved ? [SAVED] : ["-auto-approve", ...options];
    const run = this.workspace.start(["apply", "-input=false", ...what]);
    return {
      interrupt: run.interrupt,
      finished: run.finished,
      killAll: () => {
        killBelow(run.pid);
        run.kill();
      },
      // The provider is in the engine's process group: only the engine itself is meant.
      killHost: () => void (run.pid !== undefined && process.kill(run.pid, "SIGKILL")),
      killProvider: () => killBelow(run.pid, "terraform-provider-erphost"),
    };
  }

  private optionsOf({ replace = [], target = [], refresh }: Manner): string[] {
    const kindOf = (name: string) => this.objects.find((one) => one.name === name)?.kind ?? "";
    const option = (what: string) => (name: string) => `-${what}=${typeOf(kindOf(name))}.${name}`;
    return [
      ...replace.map(option("replace")),
      ...target.map(option("target")),
      ...(refresh === false ? ["-refresh=false"] : []),
    ];
  }

  async preview() {
    const outcome = await this.workspace.plan("-refresh=false");
    return { ...outcome, empty: outcome.code === 0 };
  }

  refresh(parallel?: number) {
    const more = parallel === undefined ? [] : [`-parallelism=${parallel}`];
    return this.workspace.apply("-refresh-only", ...more);
  }

  destroy() {
    return this.workspace.destroy();
  }

  /** Locks end with their process. A state that was cut off while it was written has a backup. */
  async unlock(): Promise<void> {
    const { stateFile } = this.workspace;
    const backup = `${stateFile}.backup`;
    if (existsSync(backup) && !isJson(this.workspace.stateText())) copyFileSync(backup, stateFile);
  }

  async ids() {
    const text = this.workspace.stateText();
    const state = text === "" ? {} : (JSON.parse(text) as StateFile);
    const objects = (state.resources ?? []).filter(({ mode }) => mode === "managed");
    return Object.fromEntries(
      objects.flatMap(({ name, instances }) =>
        instances
          .filter(({ deposed }) => deposed === undefined)
          .map(({ attributes, index_key: index }) => {
            const held = index === undefined ? name : `${name}[${index}]`;
            return [held, attributes.id ?? ""] as const;
          }),
      ),
    );
  }

  async saveState(): Promise<string> {
    return this.workspace.stateText();
  }

  async restoreState(state: string): Promise<void> {
    writeFileSync(this.workspace.stateFile, state);
  }

  close(): void {
    this.workspace.remove();
  }
}

const face = (engine: EngineName): Face => ({
  name: engine,
  pace: "slow",
  cannot: {},
  missing: () => (hasEngine(engine) ? undefined : `there is no ${engine} on PATH`),
  open: (options) => TerraformSite.open(engine, options),
});

export const terraformFace = face("terraform");
export const tofuFace = face("tofu");
