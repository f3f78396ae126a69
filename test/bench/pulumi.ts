/** How long Pulumi's commands take with dynamic resources, compared with ones that do nothing. */
import { join } from "node:path";
import { startEmulator } from "../../emulator";
import { PulumiStack, type CommandResult } from "../harness/pulumi-stack";
import type { Figure } from "../support/figures";
import { seconds, timed, type Section } from "./section";

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
      const command = async (): Promise<void> => {
        const { code, output } = await commands[name](stack);
        if (code !== 0) throw new Error(`${program}: ${name} failed:\n${output}`);
      };
      times[name].push(await seconds(command));
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
  const nothing = () => round("nothing", count, reference);
  const servers = () => round("servers", count, ours);
  for (let index = 0; index < rounds; index += 1) {
    // Whoever comes second may profit from the first.
    for (const side of index % 2 === 0 ? [nothing, servers] : [servers, nothing]) await side();
  }
  return COMMANDS.map((name) =>
    timed(`${name}, ${count} servers`, ours[name], {
      name: "dynamic resources that do nothing",
      samples: reference[name],
    }),
  );
}

/** Each round creates everything again, which takes long. */
const ROUNDS_MAX = 3;

export const pulumiSection: Section = {
  name: "pulumi",
  programs: ["pulumi"],
  about: "pulumi up, preview and refresh with dynamic resources; --large: also of 1,000",
  async run({ rounds, large, say }) {
    const figures: Figure[] = [];
    for (const count of large ? [100, 1_000] : [100]) {
      say(`${count} servers`);
      figures.push(...(await measured(count, Math.min(rounds, ROUNDS_MAX))));
    }
    return figures;
  },
};
