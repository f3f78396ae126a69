/** What the constructs cost, compared with TerraformResources. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { SERVERS, type Measured } from "./cdktf";
import { median, type Figure, type Section } from "./section";

/** Promised for time and for memory, compared with what a person would write. */
const RATIO_MAX = 1.3;

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
    const all = Array.from({ length: rounds }, () => ({
      bare: measured("bare"),
      l2: measured("l2"),
      same: measured("same"),
    }));
    const figure = (
      member: keyof Measured,
      against: "bare" | "same",
      words: Pick<Figure, "name" | "unit" | "reference">,
    ): Figure => ({
      ...words,
      value: median(all.map(({ l2 }) => l2[member])),
      referenceValue: median(all.map((each) => each[against][member])),
      ratio: median(all.map((each) => each.l2[member] / each[against][member])),
      ...(against === "bare" && { ratioMax: RATIO_MAX }),
    });
    const time = { name: "10,000 servers as constructs", unit: "s" };
    const memory = { name: "their memory", unit: "MiB" };
    const named = "bare TerraformResources with a name";
    const same = "bare TerraformResources with the same text";
    return Promise.resolve([
      figure("seconds", "bare", { ...time, reference: named }),
      figure("peakMib", "bare", { ...memory, reference: named }),
      figure("seconds", "same", { ...time, reference: same }),
      figure("peakMib", "same", { ...memory, reference: same }),
    ]);
  },
};
