/** The whole model of interrupted runs as a part of `npm run soak`. */
import { explore } from "../engine/model/explore";
import type { Part, PartOptions, PartResult } from "./parts";

const SAY_EVERY = 1_000;

async function run({ sample, say }: PartOptions): Promise<PartResult> {
  const startedAt = performance.now();
  const { scenarios, states, transitions, breaches } = await explore({ every: sample }, (so) => {
    if (so.scenarios % SAY_EVERY !== 0) return;
    say(`${so.scenarios} scenarios, ${so.states} states, ${so.transitions} transitions`);
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    failures: breaches,
    figures: [
      { name: "scenarios", unit: "scenarios", samples: [scenarios] },
      { name: "states", unit: "states", samples: [states] },
      { name: "transitions", unit: "transitions", samples: [transitions] },
      { name: "time", unit: "s", samples: [Math.round(seconds)] },
    ],
  };
}

export const modelPart: Part = {
  name: "model",
  about: "every interleaving of interrupted runs of one scope, on the real engine",
  takes: "sample",
  run,
};
