/**
 * Expressions, and what `cdktf synth --hcl` writes of free maps, conditions and references. The generated
 * constructs use it; it imports only the library, so that those of cdktn find it next to theirs.
 */
import { DefaultTokenResolver, StringConcat, Token, Tokenization } from "cdktf";
import type { TerraformElement } from "cdktf";

/**
 * A text that is empty where the value turns out to be null: a plan takes null for left out, and an
 * empty text for what it is. What is known already stays as it is.
 */
export function emptyForNull<T>(value: T): T | string {
  const isLater = typeof value === "string" ? value.includes("${") : Token.isUnresolved(value);
  if (!isLater) return value;
  const bare = expression(value);
  return `\${${bare} == null ? "" : ${bare}}`;
}

/** A map whose lists are one expression each: the library would write objects with keys 0, 1 …. */
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

/** Writes conditions as blocks, where the library has lists, and references without its quotes. */
export function adaptToHcl(element: TerraformElement): void {
  if (adapted.has(element)) return;
  adapted.add(element);
  const write = element.toHclTerraform.bind(element);
  element.toHclTerraform = () => {
    const written: unknown = write();
    for (const section of ["resource", "data"]) {
      for (const blocks of membersOf(isRecord(written) && written[section])) {
        for (const block of membersOf(blocks)) {
          if (isRecord(block)) adaptBlock(element, block);
        }
      }
    }
    return written;
  };
}

function adaptBlock(scope: TerraformElement, block: Record<string, unknown>): void {
  for (const name of ["provider", "depends_on"]) {
    if (name in block) block[name] = withoutQuotes(scope, block[name]);
  }
  const { lifecycle } = block;
  if (isRecord(lifecycle)) block["lifecycle"] = { value: adaptLifecycle(scope, lifecycle) };
}

const adaptLifecycle = (
  scope: TerraformElement,
  lifecycle: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(lifecycle).map(([name, value]) => {
      if (/^(?:pre|post)condition$/.test(name) && Array.isArray(value)) {
        return [name, { isBlock: true, type: "list", storageClassType: "object", value }];
      }
      const isReference = name === "ignore_changes" || name === "replace_triggered_by";
      return [name, isReference ? withoutQuotes(scope, value) : value];
    }),
  );

/** Engines warn of a reference in quotes, and refuse the keyword `all` in them. */
function withoutQuotes(scope: TerraformElement, value: unknown): unknown {
  const resolver = new DefaultTokenResolver(new StringConcat());
  const resolved: unknown = Tokenization.resolve(value, { scope, resolver });
  const references = [resolved].flat().map((each) =>
    // Some of the library's references are expressions in themselves.
    typeof each === "string" ? each.replace(/^\$\{([^{}]*)\}$/, "$1") : "${}",
  );
  if (references.some((each) => each.includes("${"))) return value;
  const written = Array.isArray(resolved) ? `[${references.join(", ")}]` : references.join("");
  return { value: written, type: "simple", storageClassType: "reference" };
}

const membersOf = (value: unknown): readonly unknown[] =>
  isRecord(value) ? Object.values(value) : [];
