/** How long `erphost plan-summary` takes, as a pipeline runs it, for plans of 1,000 changes. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manyChanges } from "../plans/comments";
import type { Figure } from "../support/figures";
import { inTurns, type BenchOptions, type Section } from "./section";

const ROOT = join(__dirname, "..", "..");
const COMMAND = join(ROOT, "dist", "cli", "main.js");
const CHANGES = 1_000;
const SECONDS_MAX = 2;

async function bench({ rounds, say }: BenchOptions): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-bench-plans-"));
  const summarise = (name: string) => async (): Promise<void> => {
    const plan = join(folder, `${name}.json`);
    const words = [COMMAND, "plan-summary", plan, "--format", "markdown"];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    if (status !== 0) throw new Error(`plan-summary ended with ${String(status)}:\n${stderr}`);
  };
  try {
    const names = { terraform: "terraform-plan", pulumi: "pulumi-plugin-plan" } as const;
    for (const name of Object.values(names))
      writeFileSync(join(folder, `${name}.json`), manyChanges(name, CHANGES));
    say(`a plan of ${CHANGES} changes`);
    const times = await inTurns(rounds, {
      terraform: summarise(names.terraform),
      pulumi: summarise(names.pulumi),
    });
    return Object.entries(times).map(([name, samples]) => ({
      name: `${CHANGES.toLocaleString("en-US")} changes of ${name}, the whole command`,
      unit: "s",
      samples: [...samples],
      aim: { atMost: SECONDS_MAX },
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const planSummarySection: Section = {
  name: "plan-summary",
  about: "erphost plan-summary of plans with 1,000 changes",
  run: bench,
};
