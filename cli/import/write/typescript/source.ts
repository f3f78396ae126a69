/** TypeScript as Prettier leaves it. */
import { camel, isRecord } from "../../../../provider/contract";
import { escaped, indented, listOf, withComma, type Source } from "../source";

const WIDTH = 80;
const INDENT = 2;

/** Words that no constant may be named; `exports` and `require` are those of a CommonJS module. */
const RESERVED = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval " +
    "export exports extends false finally for function if implements import in instanceof interface " +
    "let new null package private protected public require return static super switch this throw " +
    "true try typeof undefined var void while with yield"
  ).split(" "),
);

/** The constant of a name in snake_case; `own` are the names that the file itself uses. */
export function constantOf(name: string, own: ReadonlySet<string>): string {
  const constant = camel(name);
  return RESERVED.has(constant) || own.has(constant) ? `${constant}_` : constant;
}

export const quoted = (text: string): string => `"${escaped(text, (hex) => `\\u{${hex}}`)}"`;

/** Any JSON value. @param column where the expression begins */
export function sourceOf(value: unknown, column: number): Source {
  if (typeof value === "string") return [quoted(value)];
  if (Array.isArray(value)) {
    return arrayOf(
      value.map((each: unknown) => sourceOf(each, column + 2)),
      column,
    );
  }
  if (!isRecord(value)) return [JSON.stringify(value ?? null)];
  return objectOf(
    Object.entries(value).map(([key, inner]) => [
      keyOf(key),
      sourceOf(inner, column + keyOf(key).length + 4),
    ]),
  );
}

export const arrayOf = (elements: readonly Source[], column: number): Source =>
  listOf(elements, INDENT, (line) => column + line.length < WIDTH);

export function objectOf(members: readonly (readonly [key: string, value: Source])[]): Source {
  if (members.length === 0) return ["{}"];
  const lines = members.flatMap(([key, [first = "", ...more]]) =>
    withComma([`${key}: ${first}`, ...more]),
  );
  return ["{", ...indented(lines, INDENT), "}"];
}

/** A call with an argument a line. @param comments lines before the last parenthesis */
export const callOf = (head: string, args: readonly Source[], comments: Source = []): string =>
  [`${head}(`, ...indented([...args.flatMap(withComma), ...comments], INDENT), ");"].join("\n");

/** A key of an object. A literal `__proto__` would set what the object inherits. */
const keyOf = (key: string): string =>
  key === "__proto__" ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key);
