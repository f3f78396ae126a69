import type { CommandResult } from "../../harness/command";

/** The text on one line: engines break lines and draw boxes around their diagnostics. */
export const unwrapped = (output: string): string => output.replace(/[\s│╷╵]+/g, " ");

/** @throws Error with the whole output, which jest shows, where the command failed */
export function expectDone(result: CommandResult): CommandResult {
  if (result.code !== 0) throw new Error(`exit code ${String(result.code)}\n${result.output}`);
  return result;
}

/** What a command said, on one line. @throws Error with the whole output where it did not fail */
export function refusal({ code, output }: CommandResult): string {
  if (code !== 1) throw new Error(`exit code ${String(code)}\n${output}`);
  return unwrapped(output);
}
