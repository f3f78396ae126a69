/** StrykerJS over engine and client as a part of `npm run soak`. */
import { join } from "node:path";
import { runStryker } from "../mutants/stryker";
import type { Part, PartOptions, PartResult } from "./parts";

const ROOT = join(__dirname, "..", "..");

async function run({ sample, say }: PartOptions): Promise<PartResult> {
  const result = await runStryker({
    root: ROOT,
    env: process.env,
    sample,
    onProgress: (text) => say(text.trim()),
  });
  for (const survivor of result.survivors) say(`survived: ${survivor}`);
  return {
    // A survivor is work to do, and no fault of this run.
    failures: [],
    figures: [
      { name: "mutants that StrykerJS tried", unit: "mutants", samples: [result.mutants] },
      { name: "functions among which they are: one in", unit: "functions", samples: [sample] },
      { name: "noticed, of those tried", unit: "%", samples: [result.score] },
    ],
  };
}

export const strykerPart: Part = {
  name: "stryker",
  about: "StrykerJS over engine and client, without the strings of messages: hours, unless sampled",
  takes: "sample",
  run,
};
