/** How long Pulumi's commands take with the plugin, compared with one whose resources do nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../emulator";
import { writeEntries } from "../../scripts/release/archive";
import { bundle } from "../../scripts/release/bundle";
import { PULUMI_PROGRAM, pulumiFiles } from "../../scripts/release/launcher";
import { PulumiStack, type CommandResult } from "../harness/pulumi-stack";
import { installPlugin } from "../e2e/support/pulumi-plugin";
import { leastMs } from "../support/windows";
import { compared, type BenchOptions, type Figure, type Section } from "./section";

const LATENCY_MS = 20;
const RATIO_MAX = 1.3;
const STATE_BYTES_MAX = 1536;

type Command = (stack: PulumiStack) => Promise<CommandResult>;

/** Measured repeatedly, once the resources exist. */
const commands: Readonly<Record<string, Command>> = {
  "up without changes": (stack) => stack.up("--expect-no-changes"),
  preview: (stack) => stack.preview("--expect-no-changes"),
  refresh: (stack) => stack.refresh("--expect-no-changes"),
};

/** One side of the comparison: whose servers the program declares. */
interface Side {
  readonly type: string;
  install(stack: PulumiStack): Promise<void>;
}

const ours: Side = { type: "erphost:Server", install: (stack) => installPlugin(stack) };
const nothing: Side = { type: "nothing:Server", install: installNothing };

/** It is bundled and wrapped like ours. */
async function installNothing(stack: PulumiStack): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-nothing-"));
  try {
    const plugin = join(folder, "plugin");
    const files = pulumiFiles(await bundle(require.resolve("./nothing-plugin")));
    const renamed = files.map((file) => ({
      ...file,
      name: file.name.replace(PULUMI_PROGRAM, "pulumi-resource-nothing"),
    }));
    writeEntries(plugin, renamed);
    const plugins = ["plugin", "install", "resource", "nothing", "0.1.0"];
    const { code, output } = await stack.run(...plugins, "--file", plugin);
    if (code !== 0) throw new Error(`pulumi plugin install failed:\n${output}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const program = (type: string, count: number): string => {
  const resources = Array.from({ length: count }, (_, index) => [
    `server-${index}`,
    { type, properties: { name: `server-${index}` } },
  ]);
  return `name: many\nruntime: yaml\nresources: ${JSON.stringify(Object.fromEntries(resources))}\n`;
};

interface Opened {
  readonly stack: PulumiStack;
  readonly emulator: Emulator;
  close(): Promise<void>;
}

/** A stack whose program declares `count` servers of one side, on a separate service. */
async function open(side: Side, count: number, options: EmulatorOptions = {}): Promise<Opened> {
  const emulator = await startEmulator({ provisionMs: 0, ...options });
  const stack = await PulumiStack.create({
    program: join(__dirname, "programs", "many"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
  await side.install(stack);
  stack.write("Pulumi.yaml", program(side.type, count));
  const close = async (): Promise<void> => {
    stack.remove();
    await emulator.close();
  };
  return { stack, emulator, close };
}

async function run({ stack }: Opened, command: Command): Promise<number> {
  const startedAt = performance.now();
  const { code, output } = await command(stack);
  if (code !== 0) throw new Error(`A command failed:\n${output}`);
  return (performance.now() - startedAt) / 1000;
}

interface Exported {
  readonly deployment: { readonly resources: readonly { readonly type: string }[] };
}

async function bytesPerServer(stack: PulumiStack, count: number): Promise<number> {
  const { stdout } = await stack.run("stack", "export");
  const { deployment } = JSON.parse(stdout) as Exported;
  const servers = deployment.resources.filter(({ type }) => type.endsWith(":Server"));
  return JSON.stringify(servers).length / count;
}

const REFERENCE = "a plugin that does nothing";

async function unlimited(count: number, { rounds, say }: BenchOptions): Promise<Figure[]> {
  const [own, other] = [await open(ours, count), await open(nothing, count)];
  try {
    const latency = `${count} servers, ${LATENCY_MS} ms a call`;
    const effect = { type: "delay", ms: LATENCY_MS } as const;
    for (const { emulator } of [own, other]) {
      emulator.setFaults([{ match: { path: "/**" }, probability: 1, effect }]);
    }
    say("up");
    const [value, referenceValue] = [await run(own, up), await run(other, up)];
    const figures: Figure[] = [
      {
        ...{ name: `plugin: up, ${latency}`, value, unit: "s" },
        ...{ reference: REFERENCE, referenceValue, ratio: value / referenceValue },
      },
    ];
    for (const [name, command] of Object.entries(commands)) {
      say(name);
      const times = await compared(
        rounds,
        () => run(own, command),
        () => run(other, command),
      );
      figures.push({
        ...{ name: `plugin: ${name}, ${latency}`, unit: "s" },
        ...{ reference: REFERENCE, ratioMax: RATIO_MAX, ...times },
      });
    }
    const bytes = await bytesPerServer(own.stack, count);
    return [
      ...figures,
      {
        name: "plugin: state of a server",
        value: bytes,
        unit: "bytes",
        reference: "the promise",
        referenceValue: STATE_BYTES_MAX,
        ratio: bytes / STATE_BYTES_MAX,
        ratioMax: 1,
      },
    ];
  } finally {
    await own.close();
    await other.close();
  }
}

const up: Command = (stack) => stack.up();

/** A few calls fewer than three windows hold, because lists are read to find equal names. */
const LIMITED_COUNT = 290;
/** The service reports the end of a window in whole seconds, so windows last many seconds. */
const LIMITS = [{ requests: 100, windowMs: 45_000 }];
/** What starting, the work of the last window and ending may add to the windows. */
const LIMITED_RATIO_MAX = 1.1;

/** An up in windows that take longer than the engine itself. It needs a call per server at least. */
async function limited(): Promise<Figure[]> {
  const count = LIMITED_COUNT;
  const own = await open(ours, count, { limits: LIMITS });
  try {
    const value = await run(own, up);
    const least = leastMs(LIMITS, count) / 1000;
    const requests = own.emulator.journal().length;
    return [
      {
        name: `plugin: up of ${count} servers, 100 requests in 45 s`,
        value,
        unit: "s",
        reference: "the least that the windows allow",
        referenceValue: least,
        ratio: value / least,
        ratioMax: LIMITED_RATIO_MAX,
      },
      {
        name: "plugin: its calls",
        value: requests,
        unit: "calls",
        reference: "a call per server",
        referenceValue: count,
        ratio: requests / count,
      },
    ];
  } finally {
    await own.close();
  }
}

export const pluginSection: Section = {
  name: "plugin",
  about: "the same commands with the plugin, its state, and an up within limits; --large: 1,000",
  async run(options) {
    const count = options.large ? 1_000 : 200;
    options.say(`${count} servers`);
    const figures = await unlimited(count, options);
    options.say("within limits");
    return [...figures, ...(await limited())];
  },
};
