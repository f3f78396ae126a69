/** Bad input: one message per fault, with the place, the reason and the remedy. */
import { message, plainVoice, say } from "../../messages";
import type { MessageCode, Message, PartsOf, Path, Voice } from "../../messages";

/** What is wrong with one place of an input. */
export interface InputIssue extends Message {
  /** Where, as keys and indices; empty: the whole. */
  readonly path: Path;
}

export const issueAt = <C extends MessageCode>(
  path: Path,
  code: C,
  parts: PartsOf<C>,
): InputIssue => ({ ...message(code, parts), path });

/** Thrown before any call is made. Faces render `issues` in their own names. */
export class InvalidInput extends Error {
  override readonly name = "InvalidInput";
  readonly code = "invalid_input";

  /** @param subject what was read, such as `configuration`, at the start of `message` */
  constructor(
    readonly subject: string,
    readonly issues: readonly InputIssue[],
    voice: Voice = plainVoice,
  ) {
    super(invalidInputText(voice, { subject, issues }));
  }
}

/** One fault in the caller's own words. @param path where; empty: the whole */
export const stated = (subject: string, path: Path, text: string, remedy?: string): InvalidInput =>
  new InvalidInput(subject, [issueAt(path, "stated", { text, remedy })]);

/** All issues of an input in one voice: the faults, then what to do. */
export function invalidInputText(
  voice: Voice,
  { subject, issues }: Pick<InvalidInput, "subject" | "issues">,
): string {
  const said = issues.map((issue) => say(voice, issue));
  const faults = said.map(({ clause }) => clause).join("; ");
  const remedies = [...new Set(said.map(({ remedy }) => remedy))].filter(Boolean);
  return [`${subject}: ${faults}${faults.endsWith("?") ? "" : "."}`, ...remedies].join(" ");
}
