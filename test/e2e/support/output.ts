import { readFileSync, statSync } from "node:fs";
import { filesBelow } from "../../../scripts/bootstrap/files.cjs";
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

/** Files below some folders (links are not followed) that hold one of the texts, with the text. */
export function findTexts(
  places: readonly string[],
  texts: readonly string[],
): { readonly file: string; readonly text: string }[] {
  const files = places.flatMap((at) => (statSync(at).isFile() ? [at] : filesBelow(at)));
  return files.flatMap((file) => {
    const content = readFileSync(file, "latin1");
    return texts.filter((text) => content.includes(text)).map((text) => ({ file, text }));
  });
}
