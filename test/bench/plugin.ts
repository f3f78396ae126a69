/** How long Pulumi's commands take with the plugin, compared with one whose resources do nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type EmulatorOptions } from "../../emulator";
import { writeEntries } from "../../scripts/release/archive";
import { bundle } from "../../scripts/release/bundle";
import { PULUMI_PROGRAM, pulumiFiles } from "../../scripts/release/launcher";
import { PulumiStack } from "../harness/pulumi-stack";
import { installPlugin } from "../e2e/support/pulumi-plugin";
import type { Figure } from "../support/figures";
import { bytesPerResource, commands, type Command } from "./pulumi";
import { counted, inTurns, sampled, seconds, succeeded, timed } from "./section";
import type { BenchOptions, Section } from "./section";

const LATENCY_MS = 20;
const RATIO_MAX = 1.3;
const STATE_BYTES_MAX = 1536;
const { up, ...repeated } = commands;

/** It is bundled and wrapped like ours. */
async function installNothing(stack: PulumiStack): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-nothing-"));
  try {
    const plugin = join(folder, "plugin");
    const files = pulumiFiles(await bundle(require.resolve("./nothing")));
    const named = files.map(({ name, ...file }) => {
      return { ...file, name: name.replace(PULUMI_PROGRAM, "pulumi-resource-nothing") };
    });
    writeEntries(plugin, named);
    const words = ["plugin", "install", "resource", "nothing", "0.1.0", "--file", plugin];
    await succeeded(words.join(" "), stack.run(...words));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const program = (type: string, count: number): string => {
  const resources = Array.from({ length: count }, (_, index) => [
    `server-${index}`,
    { type, properties: { name: `server-${index}` } },
  ]);
  return `name: every-kind\nruntime: yaml\nresources: ${JSON.stringify(Object.fromEntries(resources))}\n`;
};

type Plugin = "erphost" | "nothing";

/** A stack whose program declares `count` servers of a plugin, on a separate service. */
async function open(plugin: Plugin, count: number, options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ provisionMs: 0, ...options });
  const stack = await PulumiStack.create({
    program: join(__dirname, "../e2e/pulumi-plugin/programs"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
  await (plugin === "nothing" ? installNothing(stack) : installPlugin(stack));
  stack.write("Pulumi.yaml", program(`${plugin}:Server`, count));
  const close = async (): Promise<void> => {
    stack.remove();
    await emulator.close();
  };
  return { stack, emulator, close };
}

type Opened = Awaited<ReturnType<typeof open>>;
const run = ({ stack }: Opened, command: Command) => succeeded("a command", command(stack));
type Sided<T> = Readonly<Record<Plugin, T>>;

/** Seconds of an up of new objects; what the round before created is destroyed first. */
function timesOfUp(opened: Sided<Opened>, rounds: number): Promise<Sided<number[]>> {
  const ups = (one: Opened) => async (round: number) => {
    if (round > 0) await run(one, (stack) => stack.destroy());
    return seconds(() => run(one, up));
  };
  return sampled(rounds, { erphost: ups(opened.erphost), nothing: ups(opened.nothing) });
}

const against = (name: string, { erphost, nothing }: Sided<readonly number[]>, ratioMax?: number) =>
  timed(
    name,
    erphost,
    { name: "a plugin that does nothing, on grpc-js", samples: nothing },
    ratioMax,
  );

/** An up creates everything again, which takes long. */
const UP_ROUNDS_MAX = 3;

async function unlimited(count: number, { rounds, say }: BenchOptions): Promise<Figure[]> {
  const opened = { erphost: await open("erphost", count), nothing: await open("nothing", count) };
  try {
    const latency = `${count} servers, ${LATENCY_MS} ms a call`;
    const effect = { type: "delay", ms: LATENCY_MS } as const;
    for (const { emulator } of Object.values(opened)) {
      emulator.setFaults([{ match: { path: "/**" }, probability: 1, effect }]);
    }
    say("up");
    const ups = await timesOfUp(opened, Math.min(rounds, UP_ROUNDS_MAX));
    const figures: Figure[] = [against(`up, ${latency}`, ups)];
    for (const [name, command] of Object.entries(repeated)) {
      say(name);
      const times = await inTurns(rounds, {
        erphost: () => run(opened.erphost, command),
        nothing: () => run(opened.nothing, command),
      });
      figures.push(against(`${name}, ${latency}`, times, RATIO_MAX));
    }
    const bytes = await bytesPerResource(opened.erphost.stack, (type) => type.endsWith(":Server"));
    const state = { name: "state of a server", unit: "bytes", samples: [bytes] };
    return [...figures, { ...state, aim: { atMost: STATE_BYTES_MAX } }];
  } finally {
    for (const one of Object.values(opened)) await one.close();
  }
}

/** A few calls fewer than three windows hold, because lists are read to find equal names. */
const LIMITED_COUNT = 290;
/** The service reports the end of a window in whole seconds, so windows last many seconds. */
const WINDOW = { requests: 100, windowMs: 45_000 } as const;
/** What starting, the work of the last window and ending may add to the windows. */
const LIMITED_RATIO_MAX = 1.1;

/** An up in windows that take longer than the engine itself. It needs a call per server at least. */
async function limited(): Promise<Figure[]> {
  const count = LIMITED_COUNT;
  const own = await open("erphost", count, { limits: [WINDOW] });
  try {
    const sample = await seconds(() => run(own, up));
    // The first request of the next window may be sent when the one before is over.
    const least = (Math.floor((count - 1) / WINDOW.requests) * WINDOW.windowMs) / 1000;
    const time = { unit: "s", sample };
    const calls = { unit: "calls", sample: own.emulator.journal().length };
    const name = `up of ${count} servers, 100 requests in 45 s`;
    const allowed = { name: "the least that the windows allow", value: least };
    return [
      counted(`${name}, time`, time, allowed, LIMITED_RATIO_MAX),
      counted(`${name}, calls`, calls, { name: "a call per server", value: count }),
    ];
  } finally {
    await own.close();
  }
}

export const pluginSection: Section = {
  name: "plugin",
  programs: ["pulumi"],
  about: "the same commands with the plugin, its state, and an up within limits; --large: 1,000",
  async run(options) {
    const count = options.large ? 1_000 : 200;
    options.say(`${count} servers`);
    const figures = await unlimited(count, options);
    options.say("within limits");
    return [...figures, ...(await limited())];
  },
};
