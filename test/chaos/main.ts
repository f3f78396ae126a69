/**
 * `npm run chaos -- --face pulumi-dynamic [--face …] [--claim TEXT] [--trials N] [--seed S]
 * [--size N] [--details]`: tries the claims on the faces, prints the table, writes
 * `dist/chaos.json`. The exit code says whether every claim holds.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { faces } from "./faces/all";
import { printed, writeReport } from "./report";
import { runChaos } from "./run";

const REPORT = join(__dirname, "..", "..", "dist", "chaos.json");

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      face: { type: "string", multiple: true },
      claim: { type: "string", multiple: true, default: [] },
      trials: { type: "string" },
      size: { type: "string" },
      seed: { type: "string", default: "1" },
      details: { type: "boolean", default: false },
    },
  });
  const names = values.face ?? ["engine", "pulumi-dynamic"];
  const chosen = names.flatMap((name) => {
    const found = faces.filter((face) => name === "all" || face.name === name);
    if (found.length > 0) return found;
    throw new Error(`there is no face ${name}; there are ${faces.map((f) => f.name).join(", ")}`);
  });
  const cells = await runChaos({
    faces: chosen,
    claims: values.claim,
    seed: Number(values.seed),
    trials: values.trials === undefined ? undefined : Number(values.trials),
    size: values.size === undefined ? undefined : Number(values.size),
    say: (text) => void process.stderr.write(`${text}\n`),
  });
  const report = { seed: Number(values.seed), cells };
  writeReport(REPORT, report);
  process.stdout.write(`${printed(report, values.details)}\n`);
  return cells.every(({ outcome }) => outcome !== "fails") ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
