/** Programs that a command starts: an engine or git of a pipeline, and what events start. */
import { spawn } from "node:child_process";

/** A program, and what becomes of what it prints. */
export interface Child {
  readonly program: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Whether the program is a line for a shell, which the person wrote. */
  readonly isLine?: boolean;
  /** For its stdin, which it need not read; undefined: it has none. */
  readonly input?: string;
  /** Gets what it prints; undefined: it prints where we do. */
  readonly onText?: (text: string, from: "stdout" | "stderr") => void;
  /** Asks it to stop, at most once. */
  readonly stopped: AbortSignal;
  /** How: with `kill`, for the program alone or for all that it started. */
  readonly stop: (kill: Kill) => void;
}

/** 0 only asks. @returns whether something of it lives */
type Kill = (signal: NodeJS.Signals | 0, whom: "program" | "group") => boolean;

/** How a program ended: with a code, by a signal, or before it began, which has the error's code. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly fault?: string;
}

/**
 * Runs a program to its end. A failure is an answer.
 * @throws Error where the system does not even try to start it, as with a variable that is too long
 */
export const runChild = (started: Child): Promise<Ending> =>
  new Promise((resolve) => {
    const { program, words, env, cwd, isLine = false, input, onText, stopped } = started;
    const output = onText ? "pipe" : "inherit";
    const child = spawn(program, words, {
      ...{ env, cwd, shell: isLine },
      stdio: [input === undefined ? "ignore" : "pipe", output, output],
      // In a group of its own it gets one interrupt, from us. A second one ends an engine at once.
      detached: process.platform !== "win32",
    });
    const kill: Kill = (signal, whom) => {
      const { pid } = child;
      if (whom === "program" || process.platform === "win32" || pid === undefined) {
        return child.kill(signal);
      }
      try {
        return process.kill(-pid, signal);
      } catch {
        return false; // It has ended.
      }
    };
    const stop = (): void => started.stop(kill);
    if (stopped.aborted) stop();
    stopped.addEventListener("abort", stop, { once: true });
    const done = (ending: Ending): void => {
      stopped.removeEventListener("abort", stop);
      resolve(ending);
    };
    for (const from of ["stdout", "stderr"] as const) {
      child[from]?.setEncoding("utf8").on("data", (text: string) => onText?.(text, from));
    }
    child.on("error", ({ code = "error" }: NodeJS.ErrnoException) =>
      done({ code: null, signal: null, fault: code }),
    );
    child.on("close", (code, signal) => done({ code, signal }));
    child.on("spawn", () => {
      child.stdin?.on("error", () => undefined).end(input);
    });
  });
