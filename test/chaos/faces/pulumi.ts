/** Dynamic resources and the plugin, through the real command line of Pulumi. */
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { camel, isRecord, type Values } from "../../../provider/contract";
import { kinds } from "../../../provider/resources";
import { PulumiStack } from "../../harness/pulumi-stack";
import { onPath } from "../../harness/terraform-workspace";
import { killBelow } from "../support/descendants";
import { compileProgram, JAVASCRIPT } from "../../e2e/pulumi/stack";
import { installPlugin } from "../../e2e/support/pulumi-plugin";
import { FolderSite, referredBy } from "./face";
import type { ApplyMode, Declared, Face, Run, Site, SiteOptions } from "./face";

/** What the two faces differ in. */
interface Way {
  readonly name: string;
  /** Part of the command line of the process that holds erphost. */
  readonly provider: string;
  declare(stack: PulumiStack, objects: readonly Declared[]): void;
  readonly env?: Readonly<Record<string, string>>;
  /** Called once the stack exists. */
  prepare(stack: PulumiStack): Promise<void> | void;
}

/** As the file backend stores it. */
interface Checkpoint {
  readonly checkpoint: { readonly latest?: { readonly resources?: readonly StateEntry[] } };
}
type StateEntry = Readonly<Record<"urn" | "type", string>> & { id?: string; delete?: boolean };

/** The logical name is the last part of a URN. */
const nameIn = (urn: string): string => urn.split("::").at(-1) ?? urn;

class PulumiSite extends FolderSite<PulumiStack> implements Site {
  private constructor(
    stack: PulumiStack,
    private readonly way: Way,
    private readonly isContained: boolean,
  ) {
    super(stack);
  }

  static async open(way: Way, options: SiteOptions): Promise<PulumiSite> {
    const { env, within } = options;
    const logs: string[] = [];
    const created = await PulumiStack.create({
      program: join(__dirname, "..", "programs", "dynamic"),
      env: { ...env, ...way.env },
      within,
      onOutput: (text) => {
        for (const log of logs) appendFileSync(log, text);
      },
    });
    logs.push(join(created.folder, "output.log"));
    for (const log of logs) writeFileSync(log, "", { flag: "a" });
    await way.prepare(created);
    const site = new PulumiSite(created, way, within !== undefined);
    site.declare([]);
    return site;
  }

  get secretFreePaths(): readonly string[] {
    // The program itself contains what it declares.
    const others = ["output.log", "home", "backend"].map((name) => join(this.at.folder, name));
    return [this.intentsFolder, ...others].filter((place) => existsSync(place));
  }

  declare(objects: readonly Declared[]): void {
    this.objects = objects;
    this.way.declare(this.at, objects);
  }

  startUp({ replace = [] }: ApplyMode = {}): Run {
    // `**` matches any type; the logical name follows.
    const targets = replace.flatMap((name) => ["--replace", `**::${name}`]);
    const run = this.at.start(["up", "--yes", "--skip-preview", ...targets]);
    return {
      finished: run.finished,
      killAll: () => {
        // Plugins have their own process groups. Once their parent has exited, nothing links them.
        if (!this.isContained) killBelow(run.pid);
        run.kill();
      },
      killHost: () => run.kill(),
      killProvider: () => killBelow(run.pid, this.way.provider),
    };
  }

  async preview() {
    const outcome = await this.at.preview("--expect-no-changes");
    return { ...outcome, empty: outcome.code === 0 };
  }

  refresh(parallel?: number) {
    return this.at.refresh(...(parallel === undefined ? [] : ["--parallel", `${parallel}`]));
  }

  async unlock(): Promise<void> {
    await this.at.run("cancel", "--yes");
  }

  async ids() {
    const { checkpoint } = JSON.parse(this.at.stateText()) as Checkpoint;
    const objects = (checkpoint.latest?.resources ?? []).filter(
      ({ type, id, delete: isReplaced }) =>
        id !== undefined && isReplaced !== true && !type.startsWith("pulumi:"),
    );
    return Object.fromEntries(objects.map(({ urn, id }) => [nameIn(urn), id ?? ""]));
  }

  async moveOn(): Promise<void> {
    this.at.moveOn();
    await this.way.prepare(this.at);
    this.declare(this.objects);
  }
}

const cannot: Face["cannot"] = {
  interrupt: "its interruptions are tested with its other ways to exit",
  modes: "Pulumi applies no saved plan without its experiments, and does not refresh by itself",
  count: "its programs have loops",
  "two-stacks": "a URN has the name of the stack, so that no two share an identity",
};

/** Inputs under the host's names; references as the host writes them. */
const camelArgs = (args: Values, refer: (name: string) => unknown): Values =>
  Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      const name = referredBy(value);
      return [camel(key), name === undefined ? value : refer(name)];
    }),
  );

const dynamic: Way = {
  name: "pulumi-dynamic",
  provider: "dynamic-provider",
  env: JAVASCRIPT,
  prepare: compileProgram,
  declare: (stack, objects) => {
    const inputs = (args: Values): Values => camelArgs(args, ($ref) => ({ $ref }));
    const camelCase = objects.map(({ args, ...rest }) => ({ ...rest, args: inputs(args) }));
    stack.write("objects.json", JSON.stringify(camelCase));
  },
};

/** A YAML program marks secrets itself. */
const withSecrets = (args: Declared["args"]): Declared["args"] => {
  const { secret_properties: secrets } = args;
  return isRecord(secrets) ? { ...args, secret_properties: { "fn::secret": secrets } } : args;
};

/** JSON is YAML. Not every logical name is a key that YAML programs can refer to. */
const pluginProgram = (objects: readonly Declared[]): string => {
  const keyOf = (name: string): string => name.replaceAll("-", "_");
  const resources = objects.map(({ kind, name, args, order }): [string, object] => [
    keyOf(name),
    {
      name,
      type: `erphost:${kinds[kind]?.title ?? kind}`,
      properties: camelArgs(withSecrets(args), (referred) => `\${${keyOf(referred)}.id}`),
      ...(order !== undefined && { options: { deleteBeforeReplace: order === "delete first" } }),
    },
  ]);
  return `name: chaos\nruntime: yaml\nresources: ${JSON.stringify(Object.fromEntries(resources))}\n`;
};

const plugin: Way = {
  name: "pulumi-plugin",
  provider: "resource-erphost",
  prepare: installPlugin,
  declare: (stack, objects) => stack.write("Pulumi.yaml", pluginProgram(objects)),
};

const face = (way: Way): Face => ({
  name: way.name,
  stopsAtOnce: true,
  cannot,
  missing: () => (onPath("pulumi") ? undefined : "pulumi is not on PATH"),
  open: (options) => PulumiSite.open(way, options),
});

export const pulumiDynamic = face(dynamic);
export const pulumiPlugin = face(plugin);
