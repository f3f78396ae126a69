/** What the constructs cost, compared with TerraformResources. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { SERVERS, type Measured } from "./cdktf";
import type { Figure } from "../support/figures";
import type { Section } from "./section";

/** Promised for time and for memory, compared with what a person would write. */
const RATIO_MAX = 1.3;

const REFERENCES = {
  bare: "bare TerraformResources with a name",
  same: "bare TerraformResources with the same text",
} as const;

const measured = (way: string): Measured =>
  // Printed by the program.
  JSON.parse(
    execFileSync(process.execPath, ["-r", "ts-node/register", join(__dirname, "cdktf.ts"), way], {
      encoding: "utf8",
    }),
  ) as Measured;

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
      name: string,
      unit: string,
      member: keyof Measured,
      against: "bare" | "same",
    ): Figure => ({
      name,
      unit,
      samples: all.map(({ l2 }) => l2[member]),
      reference: {
        name: REFERENCES[against],
        samples: all.map((each) => each[against][member]),
        how: "in turns",
      },
      ...(against === "bare" && { aim: { atMost: RATIO_MAX } }),
    });
    return Promise.resolve(
      (["bare", "same"] as const).flatMap((against) => [
        figure(
          `${SERVERS.toLocaleString("en")} servers as constructs, time`,
          "s",
          "seconds",
          against,
        ),
        figure(
          `${SERVERS.toLocaleString("en")} servers as constructs, memory`,
          "MiB",
          "peakMib",
          against,
        ),
      ]),
    );
  },
};
