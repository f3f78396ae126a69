import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { startProgram, type Running } from "../../scripts/bootstrap/programs.cjs";

const START_MS_MAX = 60_000;
const RUN_MS_MAX = 2 * 60 * 60_000;
const POLL_MS = 20;

/** A server that runs until it is stopped, or this process ends. */
export interface RunningServer {
  stop(): Promise<void>;
}

export interface ServerProgram {
  readonly name: string;
  readonly program: string;
  readonly words: readonly string[];
  readonly folder: string;
  /** Answers as soon as the server serves. */
  readonly ready: string;
}

/** @throws Error with what the server printed, where it does not start */
export async function startServer(of: ServerProgram): Promise<RunningServer> {
  const options = { cwd: of.folder, env: process.env, timeoutMs: RUN_MS_MAX, group: true };
  const running = startProgram(of.program, of.words, options);
  await untilReady(of.name, running, () => answers(of.ready));
  return { stop: () => stopProgram(running) };
}

/** Ends a program and what it started. */
export async function stopProgram(running: Running): Promise<void> {
  running.signal("SIGTERM");
  await running.finished;
}

/** Waits for what a program does. @throws Error with what it printed, where it ends or takes too long */
export async function untilReady(
  name: string,
  running: Running,
  isReady: () => Promise<boolean>,
): Promise<void> {
  for (let leftMs = START_MS_MAX; leftMs > 0; leftMs -= POLL_MS) {
    if (await isReady()) return;
    const ended = running.finished.then(() => true);
    const later = new Promise<false>((resolve) => setTimeout(resolve, POLL_MS, false));
    if (await Promise.race([ended, later])) break;
  }
  await stopProgram(running);
  throw new Error(`${name}: not there:\n${running.output()}`);
}

/** Whether a server answers there, and well. */
export const answers = (address: string): Promise<boolean> =>
  fetch(address).then(
    ({ ok }) => ok,
    () => false,
  );

/** A server in this process, on a free port until it is stopped. */
export async function listening(
  server: Server & { closeAllConnections?(): void },
): Promise<RunningServer & { readonly port: number }> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A TCP server's address is an object, never the path of a socket.
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.closeAllConnections?.();
    await once(server.close(), "close");
  };
  return { port, stop };
}

export async function freePort(): Promise<number> {
  const server = await listening(createServer());
  await server.stop();
  return server.port;
}
