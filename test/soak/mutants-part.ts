/** All committed mutants as a part of `npm run soak`. */
import { join } from "node:path";
import { hunt } from "../mutants/hunt";
import { readMutants } from "../mutants/mutant";
import type { Part, PartOptions, PartResult } from "./parts";

const ROOT = join(__dirname, "..", "..");
const JOBS = 2;

async function run({ say }: PartOptions): Promise<PartResult> {
  const hunted = await hunt(readMutants(ROOT), {
    root: ROOT,
    env: process.env,
    jobs: JOBS,
    onOutcome: ({ name }, { state }) => say(`${name}: ${state}`),
  });
  const left = hunted.filter(({ outcome }) => outcome.state !== "killed");
  const killed = hunted.length - left.length;
  return {
    failures: left.map(({ mutant, outcome }) => `${mutant.name}: ${outcome.state}`),
    figures: [
      { name: "committed mutants", unit: "mutants", samples: [hunted.length] },
      { name: "killed by the unit tests of their room", unit: "mutants", samples: [killed] },
    ],
  };
}

export const mutantsPart: Part = {
  name: "mutants",
  about: "every committed mutant: its room's unit tests must notice",
  run,
};
