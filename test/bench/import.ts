/** Taking over a large account: the time and the calls of each step, next to the pages of lists. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { installPlugin } from "../e2e/support/pulumi-plugin";
import { startCommand, type CommandResult } from "../harness/command";
import { PulumiStack } from "../harness/pulumi-stack";
import { buildMirror, HEADER, TerraformWorkspace } from "../harness/terraform-workspace";
import type { EngineName } from "../harness/terraform-workspace";
import { installedAs } from "../harness/versions.cjs";
import type { Figure } from "../support/figures";
import { counted, seconds, succeeded, timed, type Section } from "./section";

const COUNTS = { server: 1_000, instance: 1_000, backup: 500, team: 50, api_key: 100 } as const;
const PER_PAGE = 100;
const PAGES = Object.values(COUNTS).reduce((sum, count) => sum + Math.ceil(count / PER_PAGE), 0);
/** Calls that a command may make besides the pages. */
const FURTHER_CALLS = 2;
const SECONDS_MAX = 5 * 60;
/** A query and the configuration that the engine writes, by the time of `erphost import`. */
const QUERY_RATIO_MAX = 1.5;
const TIMEOUT_MS = 10 * 60_000;
const COMMAND = join(__dirname, "../../dist/cli/main.js");
type Env = Readonly<Record<string, string>>;

/** A program that is taken over with one engine, step by step. */
export interface TakeOver {
  /** What each step is, in their order. */
  readonly steps: Readonly<Record<string, () => Promise<CommandResult>>>;
  readonly remove: () => void;
}

interface Side {
  readonly name: string;
  readonly program: string;
  /** Whether it takes over what the side before it has taken over by `erphost import`. */
  readonly isCompared?: boolean;
  readonly start: (env: Env) => Promise<TakeOver>;
}

const imported = (format: string, folder: string, env: Env): Promise<CommandResult> =>
  startCommand(process.execPath, [COMMAND, "import", "--to", format, "--out", folder], {
    folder,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    timeoutMs: TIMEOUT_MS,
    onOutput: undefined,
  }).finished;

const terraformSide = (engine: EngineName, by: "import" | "query" = "import"): Side => ({
  name: by === "import" ? engine : `${engine} query`,
  program: engine,
  isCompared: by === "query",
  start: async (env) => {
    buildMirror();
    const here = await TerraformWorkspace.create({ engine, env }, "");
    rmSync(join(here.folder, "main.tf"));
    const init = () => here.run("init");
    const query = () => here.run("query", "-generate-config-out=found.tf");
    if (by === "query") {
      here.write("main.tf", HEADER);
      here.write("all.tfquery.hcl", lists());
    }
    return {
      steps: {
        ...(by === "query"
          ? { init, query }
          : { import: () => imported("terraform", here.folder, here.env), init }),
        apply: () => here.apply(),
        "plan without changes": () => here.plan(),
      },
      remove: () => here.remove(),
    };
  },
});

const pulumiSide: Side = {
  name: "pulumi",
  program: "pulumi",
  start: async (env) => {
    const out = mkdtempSync(join(tmpdir(), "erphost-import-"));
    let stack: PulumiStack | undefined;
    const opened = (): PulumiStack => {
      if (!stack) throw new Error("The stack is made after the import.");
      return stack;
    };
    return {
      steps: {
        import: () => imported("pulumi-yaml", out, env),
        install: async () => {
          // As the guide says: else Pulumi writes the state after each object.
          const once = { ...env, PULUMI_SKIP_CHECKPOINTS: "true" };
          stack = await PulumiStack.create({ program: out, env: once });
          await installPlugin(stack);
          return stack.run("plugin", "ls");
        },
        up: () => opened().run("up", "--yes", "--skip-preview"),
        "preview without changes": () => opened().preview("--expect-no-changes"),
      },
      remove: () => {
        stack?.remove();
        rmSync(out, { recursive: true, force: true });
      },
    };
  },
};

const sides: readonly Side[] = [
  terraformSide("terraform"),
  // An older one has no `query`.
  ...(installedAs("terraform") ? [terraformSide("terraform", "query")] : []),
  terraformSide("tofu"),
  pulumiSide,
];

const lists = (): string =>
  Object.entries(COUNTS)
    .map(([kind, limit]) =>
      [`list "erphost_${kind}" "all" {`, "  provider = erphost", `  limit    = ${limit}`, "}"].join(
        "\n",
      ),
    )
    .join("\n");

/** An account of this size; the first admin key is one of its keys. */
function plant(emulator: Emulator): void {
  const many = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const plain = { status: "running", region: "eu" };
  const named = many(COUNTS.server, (index) => ({ name: `erp-${index}`, ...plain }));
  const servers = emulator.createObjects("server", named);
  const edition = { version: "17.0", edition: "community", status: "running" };
  const onServers = many(COUNTS.instance, (index) => {
    return { name: `erp-${index}`, server_id: servers[index]?.["id"], ...edition };
  });
  const instances = emulator.createObjects("instance", onServers);
  const ofInstances = many(COUNTS.backup, (index) => ({ instance_id: instances[index]?.["id"] }));
  emulator.createObjects("backup", ofInstances);
  const teams = many(COUNTS.team, (index) => {
    const members = [{ email: `member-${index}@example.com`, role: "admin" }];
    return { name: `team ${index}`, members };
  });
  emulator.createObjects("team", teams);
  for (let index = 1; index < COUNTS.api_key; index += 1) {
    emulator.createKey({ name: `pipeline ${index}`, permissions: ["servers:read"] });
  }
}

/**
 * Every step of one side, timed together; the calls of each step that reads the account.
 * @param before what the side before it took
 */
async function measured(
  { name, start, isCompared = false }: Side,
  emulator: Emulator,
  before: readonly number[],
): Promise<[Figure, ...Figure[]]> {
  const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
  const { steps, remove } = await start(env);
  const calls: Figure[] = [];
  const reference = { name: "pages of the lists", value: PAGES };
  try {
    const time = await seconds(async () => {
      for (const [step, work] of Object.entries(steps)) {
        emulator.clearJournal();
        await succeeded(`${name}, ${step}`, work());
        const sample = emulator.journal().length;
        const ratioMax = (PAGES + FURTHER_CALLS) / PAGES;
        const figure = `${name}, ${step}`;
        if (sample > 0) calls.push(counted(figure, { unit: "calls", sample }, reference, ratioMax));
      }
    });
    const title = `${name}, from the first command to a plan without changes`;
    const total = isCompared
      ? timed(title, [time], { name: "erphost import", samples: before }, QUERY_RATIO_MAX)
      : { name: title, unit: "s", samples: [time], aim: { atMost: SECONDS_MAX } };
    return [total, ...calls];
  } finally {
    remove();
  }
}

const objects = Object.values(COUNTS).reduce((sum, count) => sum + count, 0);

export const importSection: Section = {
  name: "import",
  about: `taking over an account of ${objects.toLocaleString("en")} objects with erphost import`,
  programs: sides.map(({ program }) => program),
  run: async ({ say }) => {
    const emulator = await startEmulator({ provisionMs: 0, plan: "enterprise" });
    try {
      plant(emulator);
      const figures: Figure[] = [];
      let before: readonly number[] = [];
      for (const side of sides) {
        say(side.name);
        const [total, ...calls] = await measured(side, emulator, before);
        before = total.samples;
        figures.push(total, ...calls);
      }
      return figures;
    } finally {
      await emulator.close();
    }
  },
};
