/** Runs that are killed with their machine. */
import type { Emulator } from "../../../emulator";
import { killBelow } from "../../chaos/support/descendants";
import type { RunningCommand } from "../../harness/command";

const POLL_MS = 20;
const POLLS_MAX = 3_000;
const SETTLE_MS = 500;

/** Starts a run that creates servers, and kills all of it when so many exist. @returns their ids */
export async function killedAfter(
  emulator: Emulator,
  count: number,
  start: () => RunningCommand,
): Promise<string[]> {
  emulator.setFaults([{ match: { method: "POST" }, skip: count, effect: "reset-before" }]);
  const run = start();
  const made = () => emulator.objects("server").map(({ id }) => String(id));
  for (let polls = 0; made().length < count; polls += 1) {
    if (polls > POLLS_MAX) throw new Error(`${count} servers are not there:\n${run.output()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  killBelow(run.pid);
  run.kill();
  await run.finished;
  // What a provider had sent when it died arrives a moment later.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  emulator.setFaults([]);
  return made();
}
