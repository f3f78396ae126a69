/** What the constructs cost, compared with TerraformResources. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Measured } from "./cdktf";
import type { Figure } from "../support/figures";
import { timed, type Section } from "./section";

const SERVERS = 10_000;

/** Promised for time and for memory, compared with what a person would write. */
const RATIO_MAX = 1.3;

const REFERENCES = {
  bare: "bare TerraformResources with a name",
  same: "bare TerraformResources with the same text",
} as const;

type Against = keyof typeof REFERENCES;

/** Stacks that share an app: what each of them costs must not grow with what the others declare. */
const STACKS = 100;

function measured(way: string, stacks = 1): Measured {
  const program = ["-r", "ts-node/register", join(__dirname, "cdktf.ts")];
  const args = [...program, way, String(SERVERS), String(stacks)];
  // Printed by the program.
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Measured;
}

/** The same servers in many stacks of one app. */
function inStacks(rounds: number): Figure {
  const all = Array.from({ length: rounds }, (_, round) => {
    const bareFirst = round % 2 === 0 ? measured("bare", STACKS) : undefined;
    const l2 = measured("l2", STACKS);
    return { l2: l2.seconds, bare: (bareFirst ?? measured("bare", STACKS)).seconds };
  });
  const samples = all.map(({ bare }) => bare);
  const reference = { name: `${REFERENCES.bare}, in ${STACKS} stacks`, samples };
  const name = `${SERVERS.toLocaleString("en")} servers in ${STACKS} stacks as constructs, time`;
  const ours = all.map(({ l2 }) => l2);
  return timed(name, ours, reference, RATIO_MAX);
}

export const constructsSection: Section = {
  name: "cdktf",
  about: "constructing and synthesising 10,000 servers, compared with bare TerraformResources",
  run({ rounds, say }) {
    say(`${SERVERS} servers`);
    const ways = ["bare", "l2", "same"] as const;
    const all = Array.from({ length: rounds }, (_, round) => {
      // Each round begins with another way.
      const order = ways.map((_way, turn) => ways[(round + turn) % ways.length] ?? "bare");
      const one = Object.fromEntries(order.map((way) => [way, measured(way)]));
      return one as Record<(typeof ways)[number], Measured>; // Each way was in the order.
    });
    const figure = (
      what: string,
      unit: string,
      member: keyof Measured,
      against: Against,
    ): Figure => ({
      name: `${SERVERS.toLocaleString("en")} servers as constructs, ${what}`,
      unit,
      samples: all.map(({ l2 }) => l2[member]),
      reference: {
        name: REFERENCES[against],
        samples: all.map((each) => each[against][member]),
        how: "in turns",
      },
      ...(against === "bare" && { aim: { atMost: RATIO_MAX } }),
    });
    return Promise.resolve([
      ...(["bare", "same"] as const).flatMap((against) => [
        figure("time", "s", "seconds", against),
        figure("memory", "MiB", "peakMib", against),
      ]),
      inStacks(rounds),
    ]);
  },
};
