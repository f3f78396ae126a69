import { run } from "../../cli/run";
import type { World } from "../../cli/world";

/** What a command line came to. */
export interface Ran {
  readonly code: number;
  /** Lines of what was asked for, and beside it. */
  readonly out: readonly string[];
  readonly err: readonly string[];
}

export type Surroundings = Partial<Pick<World, "env" | "nowMs" | "processes" | "readFile">>;

/** Runs a command line in a world that holds nothing of this process. */
export async function erphost(words: readonly string[], given: Surroundings = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(words, {
    env: {},
    cwd: "/nowhere",
    pid: 1,
    platform: "linux",
    processes: { self: "1-1", isAlive: () => false },
    nowMs: () => Date.now(),
    readFile: (path) => {
      throw new Error(`${path} is read`);
    },
    ...given,
    print: (line) => out.push(...line.split("\n")),
    tell: (line) => err.push(...line.split("\n")),
    stopped: new AbortController().signal,
    version: "1.2.3",
  });
  return { code, out, err };
}
