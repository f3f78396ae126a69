/**
 * What `cdktf synth --hcl` writes of free maps. The generated constructs use it; it imports only the
 * library, so that those of cdktn find it next to theirs.
 */
import { Token } from "cdktf";

/**
 * A map as the library's HCL can hold it: each list in it is one expression, because the library
 * would write a list as an object with the keys 0, 1 and so on.
 */
export function hclMap(map: unknown): unknown {
  if (Token.isUnresolved(map)) return map;
  if (Array.isArray(map)) return `\${${expression(map)}}`;
  if (!isRecord(map)) return map;
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, hclMap(value)]));
}

const TOKEN = /(\$\{TfToken\[[^\]]+\]\})/;

/** A value as an expression in HCL. */
function expression(value: unknown): string {
  if (typeof value === "string") return text(value);
  if (Token.isUnresolved(value)) return Token.asString(value);
  if (Array.isArray(value)) return `[${value.map(expression).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value ?? null);
  const members = Object.entries(value).map(
    ([key, inner]) => `${quoted(key)} = ${expression(inner)}`,
  );
  return `{${members.join(", ")}}`;
}

/** Inside an expression the library writes tokens without braces, so they are joined. */
function text(value: string): string {
  const parts = value.split(TOKEN).filter((part) => part !== "");
  if (!TOKEN.test(value)) return quoted(value);
  const written = parts.map((part) => (TOKEN.test(part) ? part : quoted(part)));
  return written.length === 1 ? written.join("") : `join("", [${written.join(", ")}])`;
}

/** In quotes, unless the program has written an expression of its own into it. */
const quoted = (value: string): string =>
  value.includes("${") ? `"${value}"` : JSON.stringify(value);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
