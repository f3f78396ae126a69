/** What the constructs cost, as `cdktf.ts` measures them in processes of their own. */
import { benchCdktf } from "./cdktf";
import type { Figure, Section } from "./section";

export const constructsSection: Section = {
  name: "cdktf",
  about: "constructing and synthesising 10,000 servers, against bare TerraformResources",
  async run({ say }) {
    say("10,000 servers");
    const { layers, timeRatio, memoryRatio } = benchCdktf();
    const [bare, ours] = ["bare", "l2"].map((name) => layers.find(({ layer }) => layer === name));
    if (!bare || !ours) throw new Error("a layer was not measured");
    const seconds = (each: typeof bare): number => (each.constructMs + each.synthMs) / 1_000;
    const reference = "bare TerraformResources";
    const figures: Figure[] = [
      {
        name: "10,000 servers as constructs",
        value: seconds(ours),
        unit: "s",
        reference,
        referenceValue: seconds(bare),
        ratio: timeRatio,
      },
      {
        name: "their memory",
        value: ours.peakMb,
        unit: "MiB",
        reference,
        referenceValue: bare.peakMb,
        ratio: memoryRatio,
      },
    ];
    return figures;
  },
};
