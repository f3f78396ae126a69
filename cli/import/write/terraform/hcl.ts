/** HCL as `terraform fmt` leaves it. */
import type { DeclaredName, Value } from "../../program/model";
import { escaped, indented, listOf, longEscape, type Source } from "../source";

export type Attribute = readonly [name: string, value: Source];
const WIDTH = 80;
const INDENT = 2;
/** Columns as `terraform fmt` counts them, of text in which each character is one. */
const columnsOf = (text: string): number => [...text].length;

const isOneLine = ([, value]: Attribute): boolean => value.length === 1;

/** Attributes one below the other. The equals signs of neighbours that fit on a line are in one column. */
export function attributeLines(attributes: readonly Attribute[]): string[] {
  const lines: string[] = [];
  for (let index = 0; index < attributes.length;) {
    const rest = attributes.slice(index);
    const end = rest.findIndex((each) => !isOneLine(each));
    const group = rest.slice(0, end === 0 ? 1 : end === -1 ? rest.length : end);
    const width = end === 0 ? 0 : Math.max(...group.map(([name]) => columnsOf(name)));
    for (const [name, [first = "", ...more]] of group) {
      const gap = " ".repeat(Math.max(0, width - columnsOf(name)));
      lines.push(`${name}${gap} = ${first}`, ...more);
    }
    index += group.length;
  }
  return lines;
}

/** `resource "erphost_server" "main" { … }` */
export const block = (header: string, body: readonly string[]): string =>
  [`${header} {`, ...indented(body, INDENT), "}"].join("\n");

function expressionOf(value: unknown): Source {
  if (typeof value === "string") return [quoted(value)];
  if (Array.isArray(value)) return listFor(value.map(expressionOf));
  if (typeof value === "object" && value !== null) {
    return objectOf(Object.entries(value).map(([name, one]) => [keyText(name), expressionOf(one)]));
  }
  return [JSON.stringify(value ?? null)];
}

/** An element a line where that would be long or holds several objects. */
const listFor = (elements: readonly Source[]): Source =>
  listOf(elements, INDENT, (line) => columnsOf(line) <= WIDTH && objectsIn(elements) < 2);

const objectsIn = (elements: readonly Source[]): number =>
  elements.filter(([first = ""]) => first.startsWith("{")).length;

export const itemsOf = (elements: readonly Source[]): Source =>
  listOf(elements, INDENT, () => false);

/** `{ email = "a" }`, or a member a line where that would be long. */
function objectOf(members: readonly Attribute[]): Source {
  const line = lineOf(members);
  return members.every(isOneLine) && columnsOf(line) <= WIDTH ? [line] : keyed(members);
}

/** An object on one line, however long, unless a member needs several. */
export const entryOf = (members: readonly Attribute[]): Source =>
  members.every(isOneLine) ? [lineOf(members)] : keyed(members);

/** An object with a member a line. */
export const keyed = (members: readonly Attribute[]): Source =>
  members.length === 0 ? ["{}"] : ["{", ...indented(attributeLines(members), INDENT), "}"];

const lineOf = (members: readonly Attribute[]): string =>
  members.length === 0
    ? "{}"
    : `{ ${members.map(([name, [first = ""]]) => `${name} = ${first}`).join(", ")} }`;

/** Names that a key may not be without quotes: the language reads them as something else. */
const KEYWORDS = new Set(["null", "true", "false", "for", "if", "in", "else"]);

const keyText = (name: string): string =>
  /^[A-Za-z_][\w-]*$/.test(name) && !KEYWORDS.has(name) ? name : quotedKey(name);

export function quotedKey(name: string): string {
  const text = quoted(name);
  // `terraform fmt` counts characters of several code points in ways that depend on its release.
  const isPlain = [...segments.segment(text)].length === columnsOf(text);
  return isPlain ? text : text.replace(/[^\x20-\x7e]/gu, unicode);
}

const segments = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A text in quotes, so that nothing in it is a template and no character of it is invisible. */
export function quoted(text: string): string {
  // A doubled sign is plain text. Next to another one that could be read otherwise, so it is escaped.
  const body = escaped(text, longEscape).replace(
    /([$%]+)\{/g,
    (_, signs: string) => `${[...signs].map(sign(signs)).join("")}{`,
  );
  return `"${body}"`;
}

const sign = (signs: string) => (letter: string, index: number) => {
  if (index < signs.length - 1) return letter;
  return signs.length === 1 ? letter.repeat(2) : unicode(letter);
};

function unicode(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code < 0x1_0000 ? `\\u${hex.padStart(4, "0")}` : longEscape(hex);
}

const addressOf = (kind: string, { name, key }: DeclaredName): string =>
  `erphost_${kind}.${name}${key === undefined ? "" : `[${quoted(key)}]`}`;

export function sourceOfValue(value: Value): Source {
  switch (value.is) {
    case "literal":
      return expressionOf(value.value);
    case "reference":
      return [`${addressOf(value.kind, value.place)}.id`];
    case "list":
      return listFor(value.of.map(sourceOfValue));
  }
}
