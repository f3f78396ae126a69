/** What the guides tell readers to write and run. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(__dirname, "../../../docs/guides");

/** The text of a guide, by its file's name without the ending. */
export const guide = (name: string): string => readFileSync(join(FOLDER, `${name}.md`), "utf8");

/** A workflow of the guides for GitHub, for another engine and stack. */
export const forStack = (text: string, { tool, stack }: { tool: string; stack: string }): string =>
  text
    .replaceAll("tool: terraform", `tool: ${tool}`)
    .replace(/\b(stack: |environment: |erphost-\w+-)prod$/gm, `$1${stack}`)
    .replace(/^( +--environment\n +)prod$/gm, `$1${stack}`);

/**
 * The first snippet of a guide in this language.
 * @param holding only snippets that hold this text
 */
export function snippet(name: string, language: string, holding = ""): string {
  const all = [...guide(name).matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))];
  const found = all.map(([, text = ""]) => text).find((text) => text.includes(holding));
  if (found === undefined) throw new Error(`${name} has no snippet in ${language} with ${holding}`);
  return found;
}
