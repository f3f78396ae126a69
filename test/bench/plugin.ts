/** What Pulumi's commands take with the plugin, against a plugin whose resources do nothing. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type EmulatorOptions } from "../../emulator";
import { launcherFiles, PROGRAM } from "../../scripts/pulumi-plugin/launcher";
import { PulumiStack, type CommandResult } from "../../scripts/support/pulumi-stack";
import { bundled } from "../chaos/support/bundle";
import { leastMs } from "../chaos/claims/limits";
import { installPlugin } from "../e2e/support/pulumi-plugin";
import { median, type Figure, type Section } from "./section";

const LATENCY_MS = 20;
const RATIO_MAX = 1.3;
const STATE_BYTES_MAX = 1536;

const commands = {
  up: (stack: PulumiStack) => stack.up(),
  "up without changes": (stack: PulumiStack) => stack.up("--expect-no-changes"),
  preview: (stack: PulumiStack) => stack.preview("--expect-no-changes"),
  refresh: (stack: PulumiStack) => stack.refresh("--expect-no-changes"),
} satisfies Record<string, (stack: PulumiStack) => Promise<CommandResult>>;
type Command = keyof typeof commands;
const NAMES = Object.keys(commands) as Command[];

/** One side: whose servers the program declares. */
interface Side {
  readonly type: string;
  install(stack: PulumiStack): Promise<void>;
}

const ours: Side = { type: "erphost:Server", install: (stack) => installPlugin(stack) };
const nothing: Side = { type: "nothing:Server", install: installNothing };

/** In the same wrapping as ours. */
async function installNothing(stack: PulumiStack): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-nothing-"));
  try {
    const plugin = join(folder, "plugin");
    mkdirSync(plugin);
    const bundle = readFileSync(bundled(require.resolve("./nothing-plugin")), "latin1");
    for (const { name, content, executable } of launcherFiles(bundle)) {
      const path = join(plugin, name.replace(PROGRAM, "pulumi-resource-nothing"));
      writeFileSync(path, content, { mode: executable ? 0o755 : 0o644 });
    }
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

interface Times {
  readonly seconds: Readonly<Record<string, number>>;
  readonly bytes: number;
  /** That the service did not refuse. */
  readonly requests: number;
}

/** One side once, on a stack of its own. */
async function round(
  side: Side,
  count: number,
  names: readonly Command[],
  options: EmulatorOptions = {},
): Promise<Times> {
  const emulator = await startEmulator({ provisionMs: 0, ...options });
  const stack = await PulumiStack.create({
    program: join(__dirname, "programs", "many"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
  try {
    await side.install(stack);
    stack.write("Pulumi.yaml", program(side.type, count));
    const effect = { type: "delay", ms: LATENCY_MS } as const;
    if (!options.limits) emulator.setFaults([{ match: { path: "/**" }, probability: 1, effect }]);
    const seconds: Record<string, number> = {};
    for (const name of names) {
      const begunAt = performance.now();
      const { code, output } = await commands[name](stack);
      if (code !== 0) throw new Error(`${side.type}: ${name} failed:\n${output}`);
      seconds[name] = (performance.now() - begunAt) / 1000;
    }
    const requests = emulator.journal().length;
    return { seconds, requests, bytes: await bytesPerServer(stack, count) };
  } finally {
    stack.remove();
    await emulator.close();
  }
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

async function compared(count: number, rounds: number): Promise<Figure[]> {
  const found: { readonly ours: Times; readonly nothing: Times }[] = [];
  for (let index = 0; index < rounds; index += 1) {
    // Whoever comes second may profit from the first: they take turns.
    const first = await round(index % 2 === 0 ? nothing : ours, count, NAMES);
    const second = await round(index % 2 === 0 ? ours : nothing, count, NAMES);
    found.push(
      index % 2 === 0 ? { nothing: first, ours: second } : { ours: first, nothing: second },
    );
  }
  const times = NAMES.map((name): Figure => {
    const of = (side: "ours" | "nothing") =>
      median(found.map((each) => each[side].seconds[name] ?? 0));
    return {
      name: `plugin: ${name}, ${count} servers, ${LATENCY_MS} ms a call`,
      value: of("ours"),
      unit: "s",
      reference: "a plugin that does nothing",
      referenceValue: of("nothing"),
      ratio: of("ours") / of("nothing"),
      ...(name !== "up" && { ratioMax: RATIO_MAX }),
    };
  });
  const bytes = median(found.map((each) => each.ours.bytes));
  return [
    ...times,
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
}

const LIMITED_COUNT = 400;
/** What a start, an end and the lists that look for equal names may add to the windows. */
const LIMITED_RATIO_MAX = 1.1;

/** An up in windows that take longer than the engine itself does: a call per server is the least. */
async function limited(): Promise<Figure[]> {
  const count = LIMITED_COUNT;
  const limits = [{ requests: 20, windowMs: 3_000 }];
  const { seconds, requests } = await round(ours, count, ["up"], { limits });
  const [value, least] = [seconds["up"] ?? 0, leastMs(limits, count) / 1000];
  return [
    {
      name: `plugin: up of ${count} servers, 20 requests in 3 s`,
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
}

const ROUNDS_MAX = 3;

export const pluginSection: Section = {
  name: "plugin",
  about: "the same with the native plugin, its state, and an up within limits; --large: 1,000",
  async run({ rounds, large, say }) {
    const count = large ? 1_000 : 200;
    say(`${count} servers`);
    const figures = await compared(count, Math.min(rounds, large ? 1 : ROUNDS_MAX));
    say("within limits");
    return [...figures, ...(await limited())];
  },
};
