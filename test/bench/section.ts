/** A section of the benchmarks, and how its sides are measured. */
import type { CommandResult } from "../harness/command";
import { onPath } from "../harness/terraform-workspace";
import type { Figure } from "../support/figures";

export interface BenchOptions {
  /** How often each side is measured. */
  readonly rounds: number;
  /** Includes the long measurements. */
  readonly large: boolean;
  readonly say: (text: string) => void;
}

export interface Section {
  readonly name: string;
  readonly about: string;
  /** Programs that must be on PATH; those that do not tell their version, with it. */
  readonly programs?: readonly (string | readonly [name: string, version: string])[];
  run(options: BenchOptions): Promise<readonly Figure[]>;
}

/** Why a section cannot be measured on this machine. */
export function obstacle({ programs = [] }: Section): string | undefined {
  const names = programs.map((program) => (typeof program === "string" ? program : program[0]));
  const missing = names.filter((name) => onPath(name) === undefined);
  return missing.length === 0 ? undefined : `${missing.join(" and ")} is not on PATH`;
}

/** @throws Error with the end of what it said, where a command failed */
export async function succeeded(what: string, run: Promise<CommandResult>): Promise<void> {
  const { code, output } = await run;
  if (code !== 0) throw new Error(`${what} ended with ${String(code)}:\n${output.slice(-2_000)}`);
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

/**
 * Measures sides in turns, so that a noisy machine disturbs all of them. Each round begins with
 * another side, because who comes later may profit from who came before.
 * @returns what each round gave, by side
 */
export async function sampled<Side extends string, Sample>(
  rounds: number,
  sides: Readonly<Record<Side, (round: number) => Promise<Sample>>>,
): Promise<Record<Side, Sample[]>> {
  // What `Object.keys` cannot know: an object literal has no other keys.
  const names = Object.keys(sides) as Side[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Side,
    Sample[]
  >;
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length];
      if (name !== undefined) samples[name].push(await sides[name](round));
    }
  }
  return samples;
}

/** The seconds of each round, in turns, after one round that does not count. */
export async function inTurns<Side extends string>(
  rounds: number,
  sides: Readonly<Record<Side, () => Promise<unknown>>>,
): Promise<Record<Side, number[]>> {
  const all = Object.entries<() => Promise<unknown>>(sides);
  for (const [, work] of all) await work();
  const clocked = all.map(([name, work]) => [name, () => seconds(work)] as const);
  return sampled(rounds, Object.fromEntries(clocked) as Record<Side, () => Promise<number>>);
}

/** A time compared with another of the same rounds. */
export const timed = (
  name: string,
  ours: readonly number[],
  reference: { readonly name: string; readonly samples: readonly number[] },
  ratioMax?: number,
): Figure => ({
  name,
  unit: "s",
  samples: [...ours],
  reference: { name: reference.name, samples: [...reference.samples], how: "in turns" },
  ...(ratioMax !== undefined && { aim: { atMost: ratioMax } }),
});

/** What was counted or taken once, compared with a number that follows from the task. */
export const counted = (
  name: string,
  value: { readonly unit: string; readonly sample: number },
  reference: { readonly name: string; readonly value: number },
  ratioMax?: number,
): Figure => ({
  name,
  unit: value.unit,
  samples: [value.sample],
  reference: { name: reference.name, samples: [reference.value], how: "computed" },
  ...(ratioMax !== undefined && { aim: { atMost: ratioMax } }),
});
