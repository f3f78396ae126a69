/** How long Pulumi's commands take with dynamic resources, compared with ones that do nothing. */
import { join } from "node:path";
import { startEmulator } from "../../emulator";
import { PulumiStack, type CommandResult } from "../harness/pulumi-stack";
import { median, type Figure, type Section } from "./section";

const COMMANDS = ["up", "up without changes", "preview", "refresh"] as const;
type Times = Record<(typeof COMMANDS)[number], number[]>;

const commands: Record<(typeof COMMANDS)[number], (stack: PulumiStack) => Promise<CommandResult>> =
  {
    up: (stack) => stack.up(),
    "up without changes": (stack) => stack.up("--expect-no-changes"),
    preview: (stack) => stack.preview("--expect-no-changes"),
    refresh: (stack) => stack.refresh("--expect-no-changes"),
  };

/** One round of one side, on a separate stack. */
async function round(program: string, count: number, times: Times): Promise<void> {
  const emulator = await startEmulator({ provisionMs: 0 });
  const stack = await PulumiStack.create({
    program: join(__dirname, "programs", program),
    env: {
      ERPHOST_BASE_URL: emulator.baseUrl,
      ERPHOST_API_KEY: emulator.adminKey,
      BENCH_COUNT: String(count),
    },
  });
  try {
    for (const name of COMMANDS) {
      const startedAt = performance.now();
      const { code, output } = await commands[name](stack);
      if (code !== 0) throw new Error(`${program}: ${name} failed:\n${output}`);
      times[name].push((performance.now() - startedAt) / 1000);
    }
  } finally {
    stack.remove();
    await emulator.close();
  }
}

const noTimes = (): Times => ({ up: [], "up without changes": [], preview: [], refresh: [] });

async function measured(count: number, rounds: number): Promise<Figure[]> {
  const ours = noTimes();
  const reference = noTimes();
  for (let index = 0; index < rounds; index += 1) {
    await round("nothing", count, reference);
    await round("servers", count, ours);
  }
  return COMMANDS.map((name) => {
    const value = median(ours[name]);
    const referenceValue = median(reference[name]);
    return {
      name: `pulumi ${name}, ${count} servers`,
      value,
      unit: "s",
      reference: "dynamic resources that do nothing",
      referenceValue,
      ratio: value / referenceValue,
    };
  });
}

const ROUNDS_MAX = 3;

export const pulumiSection: Section = {
  name: "pulumi",
  about: "pulumi up, up without changes, preview and refresh; --large: also with 1,000",
  async run({ rounds, large, say }) {
    const figures: Figure[] = [];
    for (const count of large ? [100, 1_000] : [100]) {
      say(`${count} servers`);
      figures.push(...(await measured(count, Math.min(rounds, count > 100 ? 1 : ROUNDS_MAX))));
    }
    return figures;
  },
};
