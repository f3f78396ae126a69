/** The load as a part of `npm run soak`. */
import type { PartOptions, PartResult, Part } from "./parts";
import { soak } from "./load";

/** More than a client needs that keeps nothing; a leak of one record per create is far above. */
const GROWTH_MAX_MIB_PER_MINUTE = 1;
const REFUSED_MAX_PERCENT = 1;
const OBJECTS = 500;
/** Requests per 100 ms. */
const RATE = 100;

async function run({ minutes, say }: PartOptions): Promise<PartResult> {
  const { calls, creates, refusedCount, growthMibPerMinute, heapMib, failures } = await soak({
    until: { ms: minutes * 60_000 },
    objects: OBJECTS,
    rate: RATE,
    onProgress: say,
  });
  return {
    failures,
    figures: [
      { name: "calls of one client under limits", unit: "calls", samples: [calls] },
      { name: "creates among them, each found again", unit: "creates", samples: [creates] },
      {
        name: "calls answered with 429",
        unit: "%",
        samples: [(100 * refusedCount) / calls],
        aim: { atMost: REFUSED_MAX_PERCENT },
      },
      { name: "reachable heap", unit: "MiB", samples: [...heapMib] },
      {
        name: "growth of the reachable heap",
        unit: "MiB per minute",
        samples: [growthMibPerMinute],
        aim: { atMost: GROWTH_MAX_MIB_PER_MINUTE },
      },
    ],
  };
}

export const loadPart: Part = {
  name: "load",
  about: `one client under limits: every write is there, memory does not grow`,
  takes: "minutes",
  run,
};
