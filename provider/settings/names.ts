/** The spellings of a setting's name, and its documentation. */
import type { Setting } from "./define";

/** `allowMassGone` → `allow_mass_gone` */
export const snakeSetting = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `allowMassGone` → `ERPHOST_ALLOW_MASS_GONE` */
export const variableOf = (name: string): string => `ERPHOST_${snakeSetting(name).toUpperCase()}`;

/** What a setting is, what it takes and what holds without it: whole sentences, in Markdown. */
export function describeSetting({ doc, range, fallbackText }: Setting): string {
  const takes = range === undefined ? [] : [`Must be ${range}.`];
  return [doc, ...takes, ...(fallbackText === undefined ? [] : [`Default: ${fallbackText}.`])].join(
    " ",
  );
}
