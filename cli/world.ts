/** What a command may use of the process that it runs in. It touches nothing else of it. */
import type { Clock } from "../provider";
import type { Processes } from "../provider/engine";

/** Streams, clock, environment and identity of the process. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly pid: number;
  readonly platform: NodeJS.Platform;
  readonly processes: Processes;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly after: Clock["after"];
  /** This user's own key on this machine, which shows that an intent is this user's. */
  readonly userKey: () => Promise<Buffer | undefined>;
  /** Text of a file; throws where it cannot be read. */
  readonly readFile: (path: string) => string;
  readonly readInput: () => Promise<string>;
  /** Whether a person reads stdout. */
  readonly isTerminal: boolean;
  /** How many characters a line of the terminal has; left out where there is none. */
  readonly columns?: number | undefined;
  /** Prints a line of the result, on stdout. */
  readonly print: (line: string) => void;
  /** Prints a warning, a wait or an error, on stderr. */
  readonly report: (line: string) => void;
  /** Aborted when the process is to end. */
  readonly stopped: AbortSignal;
  readonly version: string;
}

/** Text of bytes: UTF-8, or UTF-16 where its mark is, as PowerShell writes what is printed. */
export function decoded(bytes: Uint8Array): string {
  const [first = 0, second = 0] = bytes;
  const mark = (first << 8) | second;
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

/** How a command that has said everything chooses its exit code. */
export class Exit extends Error {
  override readonly name = "Exit";

  constructor(readonly code: number) {
    super(`ended with ${code}`);
  }
}
