/** Free fields of an object that a program has not declared yet. */
import { isRecord, type Values } from "../../contract";

/** Names that mean a secret; what they hold is in no open map. */
const SECRET_NAME =
  /pass(word|phrase|wd)?|secret|token|credential|private|licen[cs]e|(^|[_-])key$|apiKey$/i;

/**
 * Free fields as an import shows them, so that a program which sets some of them sees no difference.
 * Which of them the program will call secret is unknown here, so names decide. Undefined: none.
 */
export function openProperties(properties: Values): Values | undefined {
  const hidden = new Set(secretNames(properties));
  const open = Object.entries(properties).filter(([name]) => !hidden.has(name));
  return open.length === 0 ? undefined : Object.fromEntries(open);
}

/** Free fields whose name, or a name in whose value, means a secret. */
export const secretNames = (properties: Values): string[] =>
  Object.keys(properties).filter((name) => SECRET_NAME.test(name) || namesSecret(properties[name]));

const namesSecret = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(namesSecret)
    : isRecord(value) &&
      Object.entries(value).some(([name, inner]) => SECRET_NAME.test(name) || namesSecret(inner));
