/** How long Pulumi's commands take with dynamic resources, compared with ones that do nothing. */
import { join } from "node:path";
import { startEmulator } from "../../emulator";
import { PulumiStack, type CommandResult } from "../harness/pulumi-stack";
import type { Figure } from "../support/figures";
import { sampled, seconds, succeeded, timed, type Section } from "./section";

const COMMANDS = ["up", "up without changes", "preview", "refresh"] as const;

/** What a call to the service takes; a create of the resources that do nothing takes as long. */
const LATENCY_MS = 20;
const RATIO_MAX = 1.15;
const STATE_BYTES_MAX = 3 * 1024;
export type Command = (stack: PulumiStack) => Promise<CommandResult>;

/** The first creates the resources; the others are measured once they exist. */
export const commands: Readonly<Record<(typeof COMMANDS)[number], Command>> = {
  up: (stack) => stack.up(),
  "up without changes": (stack) => stack.up("--expect-no-changes"),
  preview: (stack) => stack.preview("--expect-no-changes"),
  refresh: (stack) => stack.refresh("--expect-no-changes"),
};

/** What a round of one side has measured: seconds by command, and the bytes of a resource's state. */
export type Measured = Readonly<Record<(typeof COMMANDS)[number] | "bytes", number>>;

/** One round of one side, on a separate stack. */
async function round(program: string, count: number): Promise<Measured> {
  const emulator = await startEmulator({ provisionMs: 0 });
  const effect = { type: "delay", ms: LATENCY_MS } as const;
  emulator.setFaults([{ match: { path: "/**" }, probability: 1, effect }]);
  const stack = await PulumiStack.create({
    program: join(__dirname, "programs", program),
    env: {
      ERPHOST_BASE_URL: emulator.baseUrl,
      ERPHOST_API_KEY: emulator.adminKey,
      BENCH_COUNT: String(count),
      BENCH_LATENCY_MS: String(LATENCY_MS),
    },
  });
  try {
    const times: [string, number][] = [];
    for (const name of COMMANDS) {
      const command = () => succeeded(`${program}: ${name}`, commands[name](stack));
      times.push([name, await seconds(command)]);
    }
    const isOne = (type: string): boolean => type.startsWith("pulumi-nodejs:dynamic");
    const bytes = await bytesPerResource(stack, isOne);
    return { ...Object.fromEntries(times), bytes } as Measured; // One for each command.
  } finally {
    stack.remove();
    await emulator.close();
  }
}

/** Bytes that a state has for each resource of these types. */
export async function bytesPerResource(stack: PulumiStack, isOne: (type: string) => boolean) {
  const { stdout } = await stack.run("stack", "export");
  const { deployment } = JSON.parse(stdout) as { deployment: { resources: { type: string }[] } };
  const ones = deployment.resources.filter(({ type }) => isOne(type));
  return Math.round(JSON.stringify(ones).length / ones.length);
}

/** What is compared: the times of every command, and the size of the state. */
export function figuresOf(
  count: number,
  ours: readonly Measured[],
  reference: readonly Measured[],
): Figure[] {
  const figures = COMMANDS.map((command) => {
    const name = `${command}, ${count} servers, ${LATENCY_MS} ms a call`;
    const samples = reference.map((each) => each[command]);
    return timed(
      name,
      ours.map((each) => each[command]),
      { name: "dynamic resources that do nothing", samples },
      RATIO_MAX,
    );
  });
  const samples = ours.map(({ bytes }) => bytes);
  const state = { name: `state of one of ${count} servers`, unit: "bytes", samples };
  return [...figures, { ...state, aim: { atMost: STATE_BYTES_MAX } }];
}

/** Each round creates everything again, which takes long. */
const ROUNDS_MAX = 3;

export const pulumiSection: Section = {
  name: "pulumi",
  programs: ["pulumi"],
  about:
    "pulumi up, preview and refresh with dynamic resources, and their state; --large: also of 1,000",
  async run({ rounds, large, say }) {
    const figures: Figure[] = [];
    for (const count of large ? [100, 1_000] : [100]) {
      say(`${count} servers`);
      const { nothing, servers } = await sampled(Math.min(rounds, ROUNDS_MAX), {
        nothing: () => round("nothing", count),
        servers: () => round("servers", count),
      });
      figures.push(...figuresOf(count, servers, nothing));
    }
    return figures;
  },
};
