/** What a command gets of the process that it runs in. Nothing else of the process is touched. */
import type { Processes } from "../provider/engine";

export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly pid: number;
  readonly platform: NodeJS.Platform;
  readonly processes: Processes;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Text of a file; throws where it can't be read. */
  readonly readFile: (path: string) => string;
  /** A line of what was asked for. */
  readonly print: (line: string) => void;
  /** A line beside it: warnings, waits, errors. */
  readonly tell: (line: string) => void;
  /** Aborted when the process is to end. */
  readonly stopped: AbortSignal;
  readonly version: string;
}
