/** Free fields of an object that a program has not declared yet. */
import { isRecord, maskKeys, type Values } from "../../contract";

/** Names that mean a secret; what they hold is in no open map. */
const SECRET_NAME =
  /pass(word|phrase|wd)?|pwd|secret|token|bearer|cookie|credential|private|licen[cs]e|(^|[_-])(key|auth|pin|otp|session)$|apiKey$|auth(orization)?[_-]?header/i;

/** Texts that hold one, whatever their name: a password in an address, an HTTP header, a private key. */
const SECRET_TEXT =
  /\/\/[^/\s@:]*:[^/\s@]+@|\b(bearer|basic)\s+[a-z0-9+/=._~-]{6,}|-----BEGIN [A-Z ]*PRIVATE KEY-----/i;

/**
 * Free fields as an import shows them, so that a program which sets some of them sees no difference.
 * Which of them the program will call secret is unknown here, so names and texts decide.
 * Undefined: none.
 */
export function openProperties(properties: Values): Values | undefined {
  const hidden = new Set(secretNames(properties));
  const open = Object.entries(properties).filter(([name]) => !hidden.has(name));
  return open.length === 0 ? undefined : Object.fromEntries(open);
}

/** Free fields that hold a secret, by a name in them or by what one of their texts looks like. */
export const secretNames = (properties: Values): string[] =>
  Object.keys(properties).filter((name) => SECRET_NAME.test(name) || isSecret(properties[name]));

function isSecret(value: unknown): boolean {
  if (typeof value === "string") return SECRET_TEXT.test(value) || maskKeys(value, "") !== value;
  if (Array.isArray(value)) return value.some(isSecret);
  return (
    isRecord(value) &&
    Object.entries(value).some(([name, inner]) => SECRET_NAME.test(name) || isSecret(inner))
  );
}
