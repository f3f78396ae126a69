/** Whether the Pulumi process that a plugin works for still runs. */
import { fstatSync } from "node:fs";
import { connect } from "node:net";

const LOOK_MS = 1_000;
/** A process that is being killed may still answer for a moment. */
const DYING_MS = 250;

export interface Watch {
  /** Address of Pulumi's engine. */
  readonly engine: string;
  /** Started for one of Pulumi's hosts, which end a plugin with SIGKILL: the starter holds the input. */
  readonly hosted: boolean;
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * Resolves at the end: `dismissed` where Pulumi still runs and has all our answers, `abandoned` where
 * it was killed and stores no more of them. Standard input is a pipe that Pulumi holds while it runs,
 * but hosts provide none and outlive Pulumi, so the engine's address is tried as well.
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

/** Only a refused connection proves that nobody listens; any other failure may be temporary. */
function answers(engine: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${engine}`);
  const socket = connect({ host: hostname, port: Number(port) });
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED"));
  }).finally(() => socket.destroy());
}
