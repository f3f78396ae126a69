/** Source text as most languages have it: what is in double quotes, and lists over several lines. */

const ESCAPES: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  '"': '\\"',
  "\\": "\\\\",
};

/** Escapes whatever is special in quotes, and every character that is invisible. */
export const escaped = (text: string, astral: (hex: string) => string): string =>
  text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (letter) => {
    const hex = (letter.codePointAt(0) ?? 0).toString(16);
    return ESCAPES[letter] ?? (hex.length > 4 ? astral(hex) : `\\u${hex.padStart(4, "0")}`);
  });

/** As HCL, YAML and Python write a character that four digits cannot: `\U0001f600`. */
export const longEscape = (hex: string): string => `\\U${hex.padStart(8, "0")}`;

/** An expression by its lines, of which the first follows what it is assigned to. */
export type Source = readonly string[];

export const indented = (lines: Source, columns: number): string[] =>
  lines.map((line) => (line === "" ? "" : `${" ".repeat(columns)}${line}`));

export const withComma = (lines: Source): string[] =>
  lines.map((line, index) => (index === lines.length - 1 ? `${line},` : line));

/** `["a", "b"]` where that fits, else an element a line. @param columns that a line is indented by */
export function listOf(
  elements: readonly Source[],
  columns: number,
  fits: (line: string) => boolean,
): Source {
  const line = `[${elements.map(([first = ""]) => first).join(", ")}]`;
  return elements.every(({ length }) => length === 1) && fits(line)
    ? [line]
    : ["[", ...indented(elements.flatMap(withComma), columns), "]"];
}

/** Finds a text in either quotes, whose inside is the group of this name. */
export const quotedAs = (group: string): string =>
  String.raw`(?<quote>["'])(?<${group}>(?:(?!\k<quote>)[^\\]|\\.)*)\k<quote>`;
