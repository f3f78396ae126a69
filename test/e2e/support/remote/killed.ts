/** Runs that are killed with their machine, and what the service then has of them. */
import type { Emulator } from "../../../../emulator";
import { killBelow } from "../../../chaos/support/descendants";
import type { RunningCommand } from "../../../harness/command";
import { untilReady } from "../../../harness/servers";

/** Longer than a kill takes; until then the service has the request in flight, also for the next run. */
const HELD_MS = 5_000;

/** Ids of everything that programs of these tests declare: servers, and the key of a robot. */
export const idsOf = (emulator: Emulator): string[] =>
  [
    ...emulator.objects("server"),
    ...emulator.objects("api_key").filter(({ name }) => name === "robot"),
  ].map(({ id }) => String(id));

/**
 * Starts a run and kills it, with all its processes, as soon as `count` objects exist, while the service holds its answers
 * back: all is created, and no run knows it.
 * @returns the ids that were made, sorted
 */
export async function killedUnanswered(
  emulator: Emulator,
  count: number,
  start: () => RunningCommand,
): Promise<string[]> {
  const held = { type: "delay", when: "after", ms: HELD_MS } as const;
  // One is answered, so that a backend that is written at each step has something.
  emulator.setFaults([{ match: { method: "POST" }, skip: 1, effect: held }]);
  const run = start();
  await untilReady(`${count} objects`, run, async () => idsOf(emulator).length >= count);
  killBelow(run.pid);
  run.kill();
  await run.finished;
  emulator.setFaults([]);
  return idsOf(emulator).sort();
}
