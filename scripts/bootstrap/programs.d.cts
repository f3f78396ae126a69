/** The types of programs.cjs for TypeScript, which does not read those in its comments. */

export interface Finished {
  /** The exit code; null after a signal, a timeout or a failed start. */
  readonly code: number | null;
  /** Stdout and stderr in the order they came; only the end of long output. */
  readonly output: string;
  readonly stdout: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /** After which the program is killed. */
  readonly timeoutMs: number;
  /** In its own process group, so that signals reach everything it started. */
  readonly group?: boolean;
  readonly outputCharsMax?: number;
  /** Called with each piece of output as it comes. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface Running {
  readonly pid: number | undefined;
  /** Never rejects: a failure is a result. */
  readonly finished: Promise<Finished>;
  readonly output: () => string;
  readonly signal: (signal: NodeJS.Signals) => void;
}

export function startProgram(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Running;

export function runProgram(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Finished>;

export function becomeProgram(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env: NodeJS.ProcessEnv },
): Promise<number>;

export function findProgram(program: string, searchPath: string): string | undefined;

/** The part of a failure that a person reads first: its last lines. */
export function lastLines(output: string, linesMax?: number): string;
