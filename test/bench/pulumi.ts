/** How long Pulumi's commands take with our resources, compared with ones that do nothing. */
import { join } from "node:path";
import { startEmulator, type EmulatorOptions } from "../../emulator";
import { PulumiStack, type CommandResult, type StackOptions } from "../harness/pulumi-stack";
import type { Figure } from "../support/figures";
import { inTurns, sampled, seconds, succeeded, timed } from "./section";
import type { BenchOptions, Section } from "./section";

/** What a call to the service takes; a create of the resources that do nothing takes as long. */
const LATENCY_MS = 20;
type Command = (stack: PulumiStack) => Promise<CommandResult>;
const up: Command = (stack) => stack.up();

/** They are measured once the resources exist. */
const repeated: Readonly<Record<string, Command>> = {
  "up without changes": (stack) => stack.up("--expect-no-changes"),
  preview: (stack) => stack.preview("--expect-no-changes"),
  refresh: (stack) => stack.refresh("--expect-no-changes"),
};

type Opened = Awaited<ReturnType<typeof open>>;

/** A stack on a separate service. */
export async function open(of: StackOptions, options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ provisionMs: 0, ...options });
  const account = { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey };
  const stack = await PulumiStack.create({ ...of, env: { ...account, ...of.env } });
  const close = async (): Promise<void> => {
    stack.remove();
    await emulator.close();
  };
  return { stack, emulator, close };
}

const run = ({ stack }: Opened, command: Command) => succeeded("a command", command(stack));
export const secondsOfUp = (one: Opened): Promise<number> => seconds(() => run(one, up));

type Sided<T> = Readonly<Record<"erphost" | "nothing", T>>;

/** What is compared, and what is promised of it. */
export interface Comparison {
  readonly count: number;
  /** The resources that do nothing. */
  readonly reference: string;
  readonly ratioMax: number;
  /** Where it differs from that of the other commands. */
  readonly ratioMaxOfUp: number | undefined;
  /** Of each resource in the state. */
  readonly bytesMax: number;
  /** Whether a resource of the state is one of those, by its type. */
  readonly isOne: (type: string) => boolean;
}

/** Bytes that a state has for each resource of these types. */
async function bytesPerResource({ stack }: Opened, { isOne }: Comparison): Promise<number> {
  const { stdout } = await stack.run("stack", "export");
  const { deployment } = JSON.parse(stdout) as { deployment: { resources: { type: string }[] } };
  const ones = deployment.resources.filter(({ type }) => isOne(type));
  return Math.round(JSON.stringify(ones).length / ones.length);
}

/** @param times of each side, by command */
export function figuresOf(
  { count, reference, ratioMax, ratioMaxOfUp, bytesMax }: Comparison,
  times: Readonly<Record<string, Sided<readonly number[]>>>,
  bytes: number,
): Figure[] {
  const figures = Object.entries(times).map(([command, { erphost, nothing }]) => {
    const name = `${command}, ${count} servers, ${LATENCY_MS} ms a call`;
    const ratio = command === "up" ? ratioMaxOfUp : ratioMax;
    return timed(name, erphost, { name: reference, samples: nothing }, ratio);
  });
  const state = { name: `state of one of ${count} servers`, unit: "bytes", samples: [bytes] };
  return [...figures, { ...state, aim: { atMost: bytesMax } }];
}

/** An up creates everything again, which takes long. */
const UP_ROUNDS_MAX = 3;

/** Measures every command on both, and closes them. */
export async function compared(
  { erphost, nothing }: Sided<Opened>,
  of: Comparison,
  { rounds, say }: BenchOptions,
): Promise<Figure[]> {
  const effect = { type: "delay", ms: LATENCY_MS } as const;
  /** Of new objects; what the round before created is destroyed first. */
  const ups = (one: Opened) => async (round: number) => {
    if (round > 0) await run(one, (stack) => stack.destroy());
    return secondsOfUp(one);
  };
  try {
    for (const { emulator } of [erphost, nothing]) {
      emulator.setFaults([{ match: { path: "/**" }, probability: 1, effect }]);
    }
    say(`up, ${of.count} servers`);
    const sides = { erphost: ups(erphost), nothing: ups(nothing) };
    const times = { up: await sampled(Math.min(rounds, UP_ROUNDS_MAX), sides) };
    for (const [name, command] of Object.entries(repeated)) {
      say(`${name}, ${of.count} servers`);
      const both = { erphost: () => run(erphost, command), nothing: () => run(nothing, command) };
      Object.assign(times, { [name]: await inTurns(rounds, both) });
    }
    return figuresOf(of, times, await bytesPerResource(erphost, of));
  } finally {
    for (const one of [erphost, nothing]) await one.close();
  }
}

export const ofDynamic = (count: number): Comparison => ({
  ...{ count, reference: "dynamic resources that do nothing" },
  ...{ ratioMax: 1.15, ratioMaxOfUp: 1.15, bytesMax: 3 * 1024 },
  isOne: (type) => type.startsWith("pulumi-nodejs:dynamic"),
});

export const pulumiSection: Section = {
  name: "pulumi",
  programs: ["pulumi"],
  about:
    "pulumi up, preview and refresh with dynamic resources, and their state; --large: also of 1,000",
  async run(options) {
    const figures: Figure[] = [];
    for (const count of options.large ? [100, 1_000] : [100]) {
      const env = { BENCH_COUNT: String(count), BENCH_LATENCY_MS: String(LATENCY_MS) };
      const side = (name: string) => open({ program: join(__dirname, "programs", name), env });
      const sides = { erphost: await side("servers"), nothing: await side("nothing") };
      figures.push(...(await compared(sides, ofDynamic(count), options)));
    }
    return figures;
  },
};
