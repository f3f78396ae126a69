/**
 * What `cdktf synth --hcl` writes of free maps and of conditions. The generated constructs use it; it
 * imports only the library, so that those of cdktn find it next to theirs.
 */
import { Token, type TerraformElement } from "cdktf";

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

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const adapted = new WeakSet<TerraformElement>();

/** Writes the conditions in an element's lifecycle as blocks, for which the library writes lists. */
export function conditionsAsBlocks(element: TerraformElement): void {
  if (adapted.has(element)) return;
  adapted.add(element);
  const write = element.toHclTerraform.bind(element);
  element.toHclTerraform = () => {
    const written: unknown = write();
    for (const section of ["resource", "data"]) {
      for (const blocks of membersOf(memberOf(written, section))) {
        for (const block of membersOf(blocks)) {
          if (isRecord(block)) adaptLifecycle(block);
        }
      }
    }
    return written;
  };
}

function adaptLifecycle(block: Record<string, unknown>): void {
  const { lifecycle } = block;
  if (!isRecord(lifecycle)) return;
  const conditions = Object.entries(lifecycle).filter(
    ([name, value]) => /^(?:pre|post)condition$/.test(name) && Array.isArray(value),
  );
  if (conditions.length === 0) return;
  const value = { ...lifecycle };
  for (const [name, list] of conditions) {
    value[name] = { isBlock: true, type: "list", storageClassType: "object", value: list };
  }
  block["lifecycle"] = { value };
}

const memberOf = (value: unknown, name: string): unknown =>
  isRecord(value) ? value[name] : undefined;

const membersOf = (value: unknown): readonly unknown[] =>
  isRecord(value) ? Object.values(value) : [];
