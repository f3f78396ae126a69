/** HCL as tokens: as much of the language as it takes to tell what a file declares. */
import { jsonOf } from "../../../../provider/contract";

/** Comments and spaces are none. */
export type Token =
  | { readonly is: "word" | "sign"; readonly text: string }
  /** A text in quotes, by what it says; undefined where only the language itself could tell. */
  | { readonly is: "text"; readonly text: string | undefined }
  | { readonly is: "line end"; readonly text: "\n" };

const SKIPPED = /(?:[^\S\n]|\uFEFF|#.*|\/\/.*|\/\*[^]*?(?:\*\/|$))+/y;
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_-]*/uy;
const HEREDOC = /<<-?(?<mark>[\w-]+)[^\S\n]*\n(?:[^]*?\n)??[^\S\n]*\k<mark>[^\S\n]*(?=\n|$)/y;

export function tokensOf(code: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < code.length;) {
    const { token, end } = next(code, at);
    if (token) tokens.push(token);
    at = end;
  }
  return tokens;
}

/** What begins at an index, and where it ends: at least one character further on. */
function next(code: string, at: number): { readonly token?: Token; readonly end: number } {
  const skipped = matched(SKIPPED, code, at);
  if (skipped !== undefined) return { end: at + skipped.length };
  const word = matched(WORD, code, at);
  if (word !== undefined) return { token: { is: "word", text: word }, end: at + word.length };
  const heredoc = matched(HEREDOC, code, at);
  if (heredoc !== undefined) {
    return { token: { is: "text", text: undefined }, end: at + heredoc.length };
  }
  const sign = code.charAt(at);
  if (sign === '"') return quotedAt(code, at);
  if (sign === "\n") return { token: { is: "line end", text: sign }, end: at + 1 };
  return { token: { is: "sign", text: sign }, end: at + 1 };
}

function matched(pattern: RegExp, code: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(code)?.[0];
}

/** A text in quotes, with the templates in it, which may hold quotes of their own. */
function quotedAt(code: string, start: number): { readonly token: Token; readonly end: number } {
  let isTemplate = false;
  let at = start + 1;
  while (at < code.length && code[at] !== '"' && code[at] !== "\n") {
    const two = code.slice(at, at + 2);
    if (two === "${" || two === "%{") {
      isTemplate = true;
      at = templateEnd(code, at + 2);
    } else if (two.startsWith("\\") || two === "$$" || two === "%%") {
      at += 2;
    } else {
      at += 1;
    }
  }
  const text = isTemplate ? undefined : plain(code.slice(start + 1, at));
  return { token: { is: "text", text }, end: code[at] === '"' ? at + 1 : at };
}

function templateEnd(code: string, start: number): number {
  let depth = 1;
  let at = start;
  while (at < code.length && depth > 0) {
    const { token, end } = next(code, at);
    if (token?.is === "sign" && token.text === "{") depth += 1;
    if (token?.is === "sign" && token.text === "}") depth -= 1;
    at = end;
  }
  return at;
}

/** What stands between quotes, without its escapes. */
function plain(quoted: string): string | undefined {
  const json = quoted
    .replace(/([$%])\1\{/g, "$1{")
    .replaceAll("\t", "\\t")
    .replace(/\\(?:U([0-9a-fA-F]{8})|[^])/g, (escape, hex?: string) => {
      const code = hex === undefined ? 0 : parseInt(hex, 16);
      return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : escape;
    });
  const value = jsonOf(`"${json}"`);
  return typeof value === "string" ? value : undefined;
}
