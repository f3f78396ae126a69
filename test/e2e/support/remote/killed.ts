/** Runs that are killed with their machine, and what the service then has of them. */
import type { Emulator } from "../../../../emulator";
import { killBelow } from "../../../chaos/support/descendants";
import type { RunningCommand } from "../../../harness/command";

const POLL_MS = 20;
const POLLS_MAX = 3_000;
/** Longer than a kill takes; until then the service has the request in flight, also for the next run. */
const HELD_MS = 5_000;

/** Kills a run, with all its processes, as soon as something holds. @param what it waits for */
async function killWhen(run: RunningCommand, what: string, holds: () => boolean) {
  for (let polls = 0; !holds(); polls += 1) {
    if (polls > POLLS_MAX) throw new Error(`there is no sign of ${what}:\n${run.output()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  killBelow(run.pid);
  run.kill();
  await run.finished;
}

/** Ids of everything that programs of these tests declare: servers, and the key of a robot. */
export const idsOf = (emulator: Emulator): string[] =>
  [
    ...emulator.objects("server"),
    ...emulator.objects("api_key").filter(({ name }) => name === "robot"),
  ].map(({ id }) => String(id));

/**
 * Starts a run and kills it as soon as `count` objects exist, while the service holds its answers
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
  await killWhen(start(), `${count} objects`, () => idsOf(emulator).length >= count);
  emulator.setFaults([]);
  return idsOf(emulator).sort();
}
