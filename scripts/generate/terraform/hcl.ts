/** Configurations for the documentation, in the form that `terraform fmt` leaves alone. */
import { isRecord } from "../../../provider/contract";

/** Text that stands as it is: a reference to something else. */
export class Expression {
  constructor(readonly text: string) {}
}

const IDENTIFIER = /^[A-Za-z_][\w-]*$/;

function hclValue(value: unknown): string {
  if (value instanceof Expression) return value.text;
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
