/** What the constructs cost, compared with TerraformResources. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Measured } from "./cdktf";
import type { Figure } from "../support/figures";
import { timed, type Section } from "./section";

const SERVERS = 10_000;
const COUNT = SERVERS.toLocaleString("en");

/** Promised for time and for memory, compared with what a person would write. */
const RATIO_MAX = 1.3;

const REFERENCES = {
  bare: "bare TerraformResources with a name",
  same: "bare TerraformResources with the same text",
} as const;

type Way = keyof typeof REFERENCES | "l2";

/** Stacks that share an app: what each of them costs must not grow with what the others declare. */
const STACKS = 100;

function measured(way: Way, stacks = 1): Measured {
  const program = ["-r", "ts-node/register", join(__dirname, "cdktf.ts")];
  const args = [...program, way, String(SERVERS), String(stacks)];
  // Printed by the program.
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Measured;
}

/** Measures each way in each round, which begins with another one. */
const inRounds = <W extends Way>(rounds: number, ways: readonly W[], stacks?: number) =>
  Array.from({ length: rounds }, (_, round) => {
    const order = ways.map((way, turn) => ways[(round + turn) % ways.length] ?? way);
    const all = Object.fromEntries(order.map((way) => [way, measured(way, stacks)]));
    return all as Record<W, Measured>; // Each way was in the order.
  });

/** The same servers in many stacks of one app. */
function inStacks(rounds: number): Figure {
  const all = inRounds(rounds, ["bare", "l2"], STACKS);
  const samples = all.map(({ bare }) => bare.seconds);
  const reference = { name: `${REFERENCES.bare}, in ${STACKS} stacks`, samples };
  const name = `${COUNT} servers in ${STACKS} stacks as constructs, time`;
  const ours = all.map(({ l2 }) => l2.seconds);
  return timed(name, ours, reference, RATIO_MAX);
}

export const constructsSection: Section = {
  name: "cdktf",
  about: `constructing and synthesising ${COUNT} servers, compared with bare TerraformResources`,
  async run({ rounds, say }) {
    say(`${COUNT} servers`);
    const all = inRounds(rounds, ["bare", "l2", "same"]);
    const figures = (["bare", "same"] as const).flatMap((against) => {
      const figure = (what: string, unit: string, member: keyof Measured): Figure => ({
        name: `${COUNT} servers as constructs, ${what}`,
        unit,
        samples: all.map(({ l2 }) => l2[member]),
        reference: {
          name: REFERENCES[against],
          samples: all.map((each) => each[against][member]),
          how: "in turns",
        },
        ...(against === "bare" && { aim: { atMost: RATIO_MAX } }),
      });
      return [figure("time", "s", "seconds"), figure("memory", "MiB", "peakMib")];
    });
    return [...figures, inStacks(rounds)];
  },
};
