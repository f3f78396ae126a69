/** Examples from the definitions' `example` values, in the form that `terraform fmt` leaves. */
import { isRecord } from "../../../provider/contract";
import type { Kind } from "../../../provider/resources";
import type { DataSource } from "../../../provider/terraform/schema/lookups";
import { declarations, exampleSelection, Reference } from "../reference/example";

/** Declares one object of the kind, after what it refers to. */
export const resourceExample = (kind: Kind): string =>
  declarations(kind, ({ name }, inputs) =>
    hclBlock(`resource "erphost_${name}" "example"`, inputs),
  ).join("\n\n");

/** Looks one object up by what names it, many by what bounds them, or the key in use. */
export function dataExample(source: DataSource): string {
  const head = `data "${source.typeName}" "example"`;
  if (source.kind === "auth") return hclBlock(head, {});
  const newest = { created_after: "2026-01-01", limit: 10 };
  return hclBlock(head, source.kind === "one" ? exampleSelection(source.resource) : newest);
}

const IDENTIFIER = /^[A-Za-z_][\w-]*$/;

function hclValue(value: unknown): string {
  if (value instanceof Reference) return `erphost_${value.kind.name}.example.id`;
  if (Array.isArray(value)) return `[${value.map(hclValue).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value).replace(/\$\{/g, "$${");
  const members = Object.entries(value).map(
    ([key, inner]) => `${IDENTIFIER.test(key) ? key : JSON.stringify(key)} = ${hclValue(inner)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** A block of arguments, one a line; their values begin at the same place. */
export function hclBlock(head: string, values: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(values);
  if (names.length === 0) return `${head} {}`;
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => `  ${name.padEnd(width)} = ${hclValue(values[name])}`);
  return `${head} {\n${lines.join("\n")}\n}`;
}
