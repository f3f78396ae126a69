/** What the guides tell readers to write and run. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(__dirname, "../../../docs");

/** The text of a page, by its path below docs without the ending. */
export const page = (path: string): string => readFileSync(join(FOLDER, `${path}.md`), "utf8");

/** The text of a guide, by its file's name without the ending. */
export const guide = (name: string): string => page(`guides/${name}`);

/** A workflow of the guides for GitHub, for another engine and stack. */
export const forStack = (text: string, { tool, stack }: { tool: string; stack: string }): string =>
  text
    .replaceAll("tool: terraform", `tool: ${tool}`)
    .replace(/\b(stack: |environment: |erphost-\w+-)prod$/gm, `$1${stack}`)
    .replace(/^( +--environment\n +)prod$/gm, `$1${stack}`);

/** What a page prints for readers to copy. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks of a text, in their order; those of a list without its indent. */
export const blocksIn = (text: string): readonly Block[] =>
  [...text.matchAll(/^( *)```(\w+)\n([^]*?)^\1```$/gm)].map((found) => {
    const [, indent = "", language = "", block = ""] = found;
    return { language, text: block.replaceAll(new RegExp(`^${indent}`, "gm"), "") };
  });

export const blocksOf = (path: string): readonly Block[] => blocksIn(page(path));

/** A guide's first snippet in this language. @param holding only those that hold this text */
export function snippet(name: string, language: string, holding = ""): string {
  const found = blocksOf(`guides/${name}`).find(
    (block) => block.language === language && block.text.includes(holding),
  );
  if (found === undefined) throw new Error(`${name} has no snippet in ${language} with ${holding}`);
  return found.text;
}
