/** Texts in double quotes, as most languages read them. */

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
