/** Whether the Pulumi that a plugin works for is still there. */
import { fstatSync } from "node:fs";
import { connect } from "node:net";

const LOOK_MS = 1_000;
/** A process that is killed as a whole may still answer for a moment. */
const DYING_MS = 250;

export interface Watch {
  /** Address of Pulumi's engine. */
  readonly engine: string;
  /** Input is held by the starter for Pulumi's hosts, which end a plugin by SIGKILL. */
  readonly hosted: boolean;
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * Resolves at the end: `dismissed` where Pulumi goes on and has all our answers, `abandoned` where
 * it was killed and stores none any more. Standard input is a pipe that Pulumi holds while it
 * lives, but hosts give none, and outlive Pulumi: so the engine's address is tried as well.
 */
export const endOfPulumi = (watch: Watch): Promise<"dismissed" | "abandoned"> =>
  Promise.race([refusal(watch), endOfInput(watch)]);

async function refusal({ engine, wait }: Watch): Promise<"abandoned"> {
  do await wait(LOOK_MS);
  while (await answers(engine));
  return "abandoned";
}

async function endOfInput({ engine, hosted, wait }: Watch): Promise<"dismissed" | "abandoned"> {
  const { stdin } = process;
  const held = fstatSync(stdin.fd);
  await new Promise<void>((resolve) => {
    if (held.isFIFO() || held.isSocket()) {
      stdin
        .once("end", resolve)
        .once("error", () => resolve())
        .resume();
    }
  });
  if (!hosted) return "abandoned";
  await wait(DYING_MS);
  return (await answers(engine)) ? "dismissed" : "abandoned";
}

/** Only a refusal says that nobody is there; anything else may pass. */
function answers(engine: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${engine}`);
  const socket = connect({ host: hostname, port: Number(port) });
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED"));
  }).finally(() => socket.destroy());
}
