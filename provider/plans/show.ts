/** Values of a plan as text, without what looks like a secret. */
import { isRecord, maskSecrets } from "../contract";
import { visible } from "../messages";
import { HIDDEN, UNKNOWN_VALUE } from "./plan";

/** Longer ones are cut: a plan's own output has them whole. */
const LENGTH_MAX = 120;
const DEPTH_MAX = 6;

/** `"17.0"`, `(secret)`, `(known after apply)`; undefined for nothing. */
export function valueText(value: unknown, hide: Hide = (text) => text): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = visible(nestedText(value, 0, hide));
  return text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX)}…`;
}

/** Takes known values out of a text that is not cut yet. */
export type Hide = (text: string) => string;

function nestedText(value: unknown, depth: number, hide: Hide): string {
  if (value === HIDDEN) return "(secret)";
  if (value === UNKNOWN_VALUE) return "(known after apply)";
  if (depth >= DEPTH_MAX) return "…";
  if (Array.isArray(value))
    return `[${value.map((each) => nestedText(each, depth + 1, hide)).join(", ")}]`;
  if (typeof value === "string") return JSON.stringify(maskSecrets(hide(value), "(secret)"));
  if (!isRecord(value)) return hide(JSON.stringify(value ?? null));
  const members = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(hide(name))}: ${nestedText(inner, depth + 1, hide)}`,
  );
  return `{${members.join(", ")}}`;
}
