/** Values of a plan as text, without what looks like a secret. */
import { isRecord, maskSecrets } from "../contract";
import { visible } from "../messages";
import { HIDDEN, UNKNOWN_VALUE } from "./plan";

/** Longer ones are cut: a plan's own output has them whole. */
const LENGTH_MAX = 120;
const DEPTH_MAX = 6;

/** `"17.0"`, `(secret)`, `(known after apply)`; undefined for nothing. */
export function valueText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = visible(nestedText(value, 0));
  return text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX)}…`;
}

function nestedText(value: unknown, depth: number): string {
  if (value === HIDDEN) return "(secret)";
  if (value === UNKNOWN_VALUE) return "(known after apply)";
  if (depth >= DEPTH_MAX) return "…";
  if (Array.isArray(value))
    return `[${value.map((each) => nestedText(each, depth + 1)).join(", ")}]`;
  if (typeof value === "string") return JSON.stringify(maskSecrets(value, "(secret)"));
  if (!isRecord(value)) return JSON.stringify(value ?? null);
  const members = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}: ${nestedText(inner, depth + 1)}`,
  );
  return `{${members.join(", ")}}`;
}
