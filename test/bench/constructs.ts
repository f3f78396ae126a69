/** What the constructs cost, compared with TerraformResources. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Measured } from "./cdktf";
import type { Figure } from "../support/figures";
import { sampled, timed, type Section } from "./section";

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
async function inStacks(rounds: number): Promise<Figure> {
  const { bare, l2 } = await sampled(rounds, {
    bare: async () => measured("bare", STACKS).seconds,
    l2: async () => measured("l2", STACKS).seconds,
  });
  const reference = { name: `${REFERENCES.bare}, in ${STACKS} stacks`, samples: bare };
  const name = `${SERVERS.toLocaleString("en")} servers in ${STACKS} stacks as constructs, time`;
  return timed(name, l2, reference, RATIO_MAX);
}

export const constructsSection: Section = {
  name: "cdktf",
  about: "constructing and synthesising 10,000 servers, compared with bare TerraformResources",
  async run({ rounds, say }) {
    say(`${SERVERS} servers`);
    const all = await sampled(rounds, {
      bare: async () => measured("bare"),
      l2: async () => measured("l2"),
      same: async () => measured("same"),
    });
    const figure = (
      what: string,
      unit: string,
      member: keyof Measured,
      against: Against,
    ): Figure => ({
      name: `${SERVERS.toLocaleString("en")} servers as constructs, ${what}`,
      unit,
      samples: all.l2.map((each) => each[member]),
      reference: {
        name: REFERENCES[against],
        samples: all[against].map((each) => each[member]),
        how: "in turns",
      },
      ...(against === "bare" && { aim: { atMost: RATIO_MAX } }),
    });
    return [
      ...(["bare", "same"] as const).flatMap((against) => [
        figure("time", "s", "seconds", against),
        figure("memory", "MiB", "peakMib", against),
      ]),
      await inStacks(rounds),
    ];
  },
};
