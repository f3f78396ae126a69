/** The one place where text that came from outside is made fit to be shown. */
import { isRecord, maskSecrets, type ResolvedResource, type Values } from "../contract";

/** Characters of a service's message that are shown at most. */
const TEXT_LENGTH_MAX = 400;
/** Characters that are looked at: a service may answer with megabytes, and the rest is not shown. */
const READ_LENGTH_MAX = 4_096;
/** A shorter text is not worth hiding, and hiding it would garble every message. */
const SECRET_LENGTH_MIN = 4;
const HIDDEN = "[redacted]";

/**
 * Text from the service or the network, safe to show: without the given secrets, without what
 * looks like one, on one line, at most 400 characters.
 */
export function redact(text: string, secrets: Iterable<string>): string {
  // The longest first: what is left of one that holds another would show the rest of it.
  const hidden = [...new Set(secrets)]
    .filter((secret) => secret.length >= SECRET_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
  let shown = text.slice(0, READ_LENGTH_MAX);
  for (const secret of hidden) shown = shown.replaceAll(secret, HIDDEN);
  const isCut = text.length > READ_LENGTH_MAX;
  // The end may be the first half of a secret.
  if (isCut) shown = shown.slice(0, Math.max(0, shown.length - (hidden[0]?.length ?? 0)));
  shown = maskSecrets(shown, HIDDEN)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  // A cut must not leave half of a character.
  return isCut || shown.length > TEXT_LENGTH_MAX
    ? `${shown.slice(0, TEXT_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/, "")}…`
    : shown;
}

/** A path without the parts that look like a secret, such as a key that was given in place of its id. */
export const redactPath = (path: string): string =>
  path.replace(/[^\s/]+/g, (part) => redact(part, []));

/**
 * Values of a body that a service's message must not repeat: all but those of typed fields that
 * are not secret. An allow-list, so that `properties` and whatever comes later are hidden.
 */
export function secretsOfBody(resource: ResolvedResource, body: Values): string[] {
  const open = new Set(
    Object.entries(resource.definition.fields)
      .filter(([, field]) => field.secret !== true)
      .map(([name]) => resource.wireNames[name] ?? name),
  );
  return Object.entries(body).flatMap(([key, value]) => (open.has(key) ? [] : textsOf(value)));
}

function textsOf(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (depth > 64) return [];
  if (Array.isArray(value)) return value.flatMap((element) => textsOf(element, depth + 1));
  return isRecord(value)
    ? Object.values(value).flatMap((element) => textsOf(element, depth + 1))
    : [];
}
