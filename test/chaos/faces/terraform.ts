/** Terraform and OpenTofu, through their real command lines. */
import { appendFileSync, copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Values } from "../../../provider/contract";
import { kinds } from "../../../provider/resources";
import { buildMirror, hasEngine, HEADER } from "../../harness/terraform-workspace";
import { TerraformWorkspace, valuesIn, type EngineName } from "../../harness/terraform-workspace";
import { killBelow } from "../support/descendants";
import { FolderSite, referredBy } from "./face";
import type { ApplyMode, Declared, Face, Run, Site, SiteOptions } from "./face";

const OUTPUT = "output.log";
const TRACE = "trace.log";
/** Where the engine prints, traces and describes its own crashes. */
const LOGS = [OUTPUT, TRACE, "crash.log"] as const;

const SAVED = "saved.bin";
const typeOf = (kind: string): string => `erphost_${kind}`;

/** A configuration as JSON. After a crash, tokens distinguish objects that are otherwise equal. */
function configuration(objects: readonly Declared[], tokens: string | undefined): string {
  const resource: Record<string, Record<string, Values>> = {};
  const kindOf = (name: string) => objects.find((one) => one.name === name)?.kind ?? "";
  for (const { kind, name, args, count, order } of objects) {
    const inputs = Object.entries(args).map(([key, value]): [string, unknown] => {
      const to = referredBy(value);
      return [key, to === undefined ? value : `\${${typeOf(kindOf(to))}.${to}.id}`];
    });
    // Errors quote the program's lines, so secrets are passed as variables.
    const secret = args["secret_properties"] !== undefined && {
      secret_properties: `\${var.secrets["${name}"]}`,
    };
    const hasToken = tokens !== undefined && kinds[kind]?.resource !== undefined;
    const which = count === undefined ? name : `${name}-\${count.index}`;
    (resource[typeOf(kind)] ??= {})[name] = {
      ...(count !== undefined && { count }),
      ...(hasToken && { idempotency_token: `${tokens}/${which}` }),
      ...(order !== undefined && {
        lifecycle: { create_before_destroy: order === "create first" },
      }),
      ...Object.fromEntries(inputs),
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

class TerraformSite extends FolderSite<TerraformWorkspace> implements Site {
  private readonly configured: Record<string, string> = {};

  private constructor(
    private readonly engine: EngineName,
    private readonly options: SiteOptions,
    workspace: TerraformWorkspace,
  ) {
    super(workspace);
  }

  get workspace(): TerraformWorkspace {
    return this.at;
  }

  static async open(engine: EngineName, options: SiteOptions): Promise<TerraformSite> {
    buildMirror();
    return new TerraformSite(engine, options, await openWorkspace(engine, options));
  }

  /** The beginning of idempotency tokens. */
  private get tokens(): string | undefined {
    const { stack, tokens } = this.options;
    return tokens === false ? undefined : (tokens ?? stack ?? "dev");
  }

  /** The state is left out: sensitive values in it are not encrypted, as documented. */
  get secretFreePaths(): readonly string[] {
    return [this.intentsFolder, ...LOGS.map((log) => join(this.at.folder, log))];
  }

  logAll(): string {
    const file = join(this.at.folder, TRACE);
    this.configure({ TF_LOG: "TRACE", TF_LOG_PATH: file });
    return file;
  }

  override configure(env: Readonly<Record<string, string>>): void {
    Object.assign(this.configured, env);
    super.configure(env);
  }

  declare(objects: readonly Declared[]): void {
    this.objects = objects;
    const secrets = objects.map(({ name, args }) => [name, args["secret_properties"] ?? null]);
    this.at.env["TF_VAR_secrets"] = JSON.stringify(Object.fromEntries(secrets));
    this.at.write("objects.tf.json", configuration(objects, this.tokens));
  }

  async startUp(mode: ApplyMode = {}): Promise<Run> {
    const options = this.optionsOf(mode);
    if (mode.saved) {
      const { code, output } = await this.at.run("plan", `-out=${SAVED}`, ...options);
      if (code !== 0) throw new Error(`The plan could not be saved:\n${output}`);
    }
    const what = mode.saved ? [SAVED] : ["-auto-approve", ...options];
    const run = this.at.start(["apply", "-input=false", ...what]);
    return {
      interrupt: () => run.interrupt(),
      finished: run.finished,
      // The provider belongs to the process group, so that neither sees the other end.
      killAll: () => run.kill(),
      killHost: () => void (run.pid !== undefined && process.kill(run.pid, "SIGKILL")),
      killProvider: () => killBelow(run.pid, "terraform-provider-erphost"),
    };
  }

  private optionsOf({ replace = [], target = [], refresh }: ApplyMode): string[] {
    const kindOf = (name: string) => this.objects.find((one) => one.name === name)?.kind ?? "";
    const option = (what: string) => (name: string) => `-${what}=${typeOf(kindOf(name))}.${name}`;
    return [
      ...replace.map(option("replace")),
      ...target.map(option("target")),
      ...(refresh === false ? ["-refresh=false"] : []),
    ];
  }

  async preview() {
    const outcome = await this.at.plan("-refresh=false");
    return { ...outcome, empty: outcome.code === 0 };
  }

  refresh(parallel?: number) {
    const more = parallel === undefined ? [] : [`-parallelism=${parallel}`];
    return this.at.apply("-refresh-only", ...more);
  }

  /** Locks end with their process. A state file that was cut off while being written has a backup. */
  async unlock(): Promise<void> {
    const { stateFile } = this.at;
    const backup = `${stateFile}.backup`;
    if (existsSync(backup) && !isJson(this.at.stateText())) copyFileSync(backup, stateFile);
  }

  async ids() {
    return Object.fromEntries(
      Object.entries(valuesIn(this.at.stateText()))
        .filter(([address]) => !address.startsWith("data."))
        .map(([address, { id }]) => [
          address.replace(/^\w+\./, ""),
          typeof id === "string" ? id : "",
        ]),
    );
  }

  async moveOn(): Promise<void> {
    const state = await this.saveState();
    this.close();
    const { env } = this.options;
    const options = { ...this.options, env: { ...env, ...this.configured } };
    this.at = await openWorkspace(this.engine, options);
    this.declare(this.objects);
    if (state !== "") await this.restoreState(state);
  }
}

async function openWorkspace(engine: EngineName, { env, sibling, stack, within }: SiteOptions) {
  const logs: string[] = [];
  const workspace = await TerraformWorkspace.create(
    {
      engine,
      env,
      ...(stack !== undefined && { workspace: stack }),
      ...(sibling instanceof TerraformSite && { sibling: sibling.workspace }),
      within,
      onOutput: (text) => {
        for (const log of logs) appendFileSync(log, text);
      },
    },
    HEADER,
  );
  logs.push(join(workspace.folder, OUTPUT));
  for (const log of LOGS) writeFileSync(join(workspace.folder, log), "", { flag: "a" });
  return workspace;
}

const face = (engine: EngineName): Face => ({
  name: engine,
  cannot: { "unseen-replace": "its plans show what is replaced" },
  missing: () => (hasEngine(engine) ? undefined : `${engine} is not on PATH`),
  open: (options) => TerraformSite.open(engine, options),
});

export const terraformFace = face("terraform");
export const tofuFace = face("tofu");
