/** Programs that a pipeline starts: an engine, git, the synthesis of a CDKTF program. */
import { runChild, type Child } from "../../child";
import type { World } from "../../world";

export interface ToolContext extends Pick<Child, "env"> {
  readonly world: Pick<World, "report" | "stopped" | "after">;
  readonly cwd: string;
}

export interface Ended {
  /** Null where it was ended by a signal, or could not be started. */
  readonly code: number | null;
  readonly stdout: string;
  /** The end of what it printed on stderr, in whole lines. */
  readonly complaint: string;
}

export interface Started extends Pick<Child, "program" | "words" | "isLine"> {
  /** Whether stdout is a result, which nobody but us reads. Otherwise it is progress. */
  readonly isQuiet?: boolean;
  readonly charsMax?: number;
}

/** Half an hour less than the longest job of GitHub: an engine that is interrupted still has to end. */
const RUN_MS_MAX = 5.5 * 3_600_000;
/** As a shell says of a program that was interrupted. */
const CANCELLED = 130;
const STDOUT_CHARS_MAX = 256 * 1024 ** 2;
const COMPLAINT_CHARS = 4_000;

/** A failure is an answer; what it says goes to stderr. @throws Error of a result that is too long */
export async function start(surroundings: ToolContext, started: Started): Promise<Ended> {
  const { world, env, cwd } = surroundings;
  const { program, words, isQuiet = false, isLine = false } = started;
  const { charsMax = STDOUT_CHARS_MAX } = started;
  if (world.stopped.aborted) {
    world.report(`${program} was not started, because the job was cancelled.`);
    return { code: CANCELLED, stdout: "", complaint: "" };
  }
  const late = new AbortController();
  const cancel = world.after(RUN_MS_MAX, () => late.abort());
  let stdout = "";
  let said = "";
  const shown = new Lines(world.report);
  const { code, fault } = await runChild({
    ...{ program, words, env, cwd, isLine },
    onText(text, from) {
      if (from === "stderr") said = `${said}${text}`.slice(-COMPLAINT_CHARS - 1);
      // Progress is shown, however much of it there is.
      if (from === "stderr" || !isQuiet) shown.add(text);
      else if (stdout.length <= charsMax) stdout += text;
    },
    stopped: AbortSignal.any([world.stopped, late.signal]),
    stop: (kill) => void kill("SIGINT", "program"),
  }).finally(cancel);
  shown.end();
  // Nobody would find a half of a secret.
  const complaint = said.length > COMPLAINT_CHARS ? said.replace(/^[^\n]*\n?/, "") : said;
  if (fault !== undefined) world.report(`${program} cannot be started (${fault}).`);
  if (stdout.length <= charsMax) return { code, stdout, complaint };
  const what = `${program} ${words[0] ?? ""}`.trim();
  throw new Error(`${what} printed more than ${charsMax} characters, which is too long.`);
}

/** Names hold whatever somebody wrote: nothing of it is a command to the runner of the job. */
export const withoutCommands = (text: string): string =>
  text.replace(/^([\s\u0085]*):(?=:)/gm, "$1: ").replace(/##(?=\[)/g, "## ");

/** Text in pieces, said line by line. */
class Lines {
  private rest = "";

  constructor(private readonly say: (line: string) => void) {}

  add(text: string): void {
    const lines = `${this.rest}${text}`.split(/\r?\n/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) this.say(withoutCommands(line));
  }

  end(): void {
    if (this.rest !== "") this.say(withoutCommands(this.rest));
  }
}
