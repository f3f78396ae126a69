/** How long Pulumi's commands take with the plugin, compared with one whose resources do nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { writeEntries } from "../../scripts/release/archive";
import { bundle } from "../../scripts/release/bundle";
import { PULUMI_PROGRAM, pulumiFiles } from "../../scripts/release/launcher";
import { PulumiStack } from "../harness/pulumi-stack";
import { installPlugin } from "../e2e/support/pulumi-plugin";
import type { Figure } from "../support/figures";
import { bytesPerResource, commands, type Command } from "./pulumi";
import { inTurns, timed, type BenchOptions, type Section, type Times } from "./section";

const LATENCY_MS = 20;
const RATIO_MAX = 1.3;
const STATE_BYTES_MAX = 1536;

const { up, ...repeated } = commands;
const destroy: Command = (stack) => stack.destroy();

/** One side of the comparison: whose servers the program declares. */
interface Side {
  readonly type: string;
  install(stack: PulumiStack): Promise<void>;
}

const OURS: Side = { type: "erphost:Server", install: (stack) => installPlugin(stack) };
const NOTHING: Side = { type: "nothing:Server", install: installNothing };
const REFERENCE = "a plugin that does nothing, on our gRPC server";

/** It is bundled and wrapped like ours. */
async function installNothing(stack: PulumiStack): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-nothing-"));
  try {
    const plugin = join(folder, "plugin");
    const entry = require.resolve("./nothing");
    const files = pulumiFiles(await bundle(entry)).map(({ name, ...file }) => {
      return { ...file, name: name.replace(PULUMI_PROGRAM, "pulumi-resource-nothing") };
    });
    writeEntries(plugin, files);
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
async function open(side: Side, count: number): Promise<Opened> {
  const emulator = await startEmulator({ provisionMs: 0 });
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

async function run({ stack }: Opened, command: Command): Promise<void> {
  const { code, output } = await command(stack);
  if (code !== 0) throw new Error(`A command failed:\n${output}`);
}

/** An up creates everything again, which takes long. */
const UP_ROUNDS_MAX = 3;

async function measured(count: number, { rounds, say }: BenchOptions): Promise<Figure[]> {
  const opened = { ours: await open(OURS, count), nothing: await open(NOTHING, count) };
  const running = (command: Command) => ({
    ours: () => run(opened.ours, command),
    nothing: () => run(opened.nothing, command),
  });
  const figure = (name: string, { ours, nothing }: Times<keyof typeof opened>, ratioMax?: number) =>
    timed(
      `${name}, ${count} servers, ${LATENCY_MS} ms a call`,
      ours,
      { name: REFERENCE, samples: nothing },
      ratioMax,
    );
  try {
    const effect = { type: "delay", ms: LATENCY_MS } as const;
    for (const { emulator } of Object.values(opened)) {
      emulator.setFaults([{ match: { path: "/**" }, probability: 1, effect }]);
    }
    say("up");
    const ups = await inTurns(Math.min(rounds, UP_ROUNDS_MAX), running(up), {
      warm: false,
      // What the round before created is in the way.
      before: async (side, round) => round > 0 && run(opened[side], destroy),
    });
    const figures = [figure("up", ups)];
    for (const [name, command] of Object.entries(repeated)) {
      say(name);
      figures.push(figure(name, await inTurns(rounds, running(command)), RATIO_MAX));
    }
    const bytes = await bytesPerResource(opened.ours.stack, (type) => type.endsWith(":Server"));
    const state = { name: "state of a server", unit: "bytes", samples: [bytes] };
    return [...figures, { ...state, aim: { atMost: STATE_BYTES_MAX } }];
  } finally {
    for (const one of Object.values(opened)) await one.close();
  }
}

export const pluginSection: Section = {
  name: "plugin",
  programs: ["pulumi"],
  about: "the same commands with the plugin, and its state; --large: 1,000 servers",
  run: (options) => {
    const count = options.large ? 1_000 : 200;
    options.say(`${count} servers`);
    return measured(count, options);
  },
};
