/** The documentation of a setting. */
import type { Setting } from "./define";

/** What a setting is, what it takes and what holds without it: whole sentences, in Markdown. */
export function describeSetting({ doc, range, fallbackText }: Setting): string {
  const takes = range === undefined ? [] : [`Must be ${range}.`];
  return [doc, ...takes, ...(fallbackText === undefined ? [] : [`Default: ${fallbackText}.`])].join(
    " ",
  );
}
