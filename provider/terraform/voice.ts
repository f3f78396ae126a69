/** How Terraform's users know things: attributes, arguments of the provider block, resource types. */
import { snake } from "../contract";
import { pathText, say, sentence, shellWord, visible } from "../messages";
import type { Message, Path, Voice } from "../messages";
import { kinds } from "../resources";
import { variableOf } from "../settings";
import { PROVIDER } from "./names";

export const voice: Voice = {
  field: fieldText,
  setting: (name) => `${snake(name)} (${variableOf(name)})`,
  howToSet: (name) => `set ${snake(name)} in the provider block or ${variableOf(name)}`,
  type: (kind) => `${PROVIDER}_${kind}`,
  importCommand: (kind, id) => `\`terraform import ${PROVIDER}_${kind}.NAME ${shellWord(id)}\``,
};

/**
 * As a program refers to it: `members["ada@example.com"].role`, `properties["cost-centre"]`. A member of
 * a set is known by its key, which is quoted even where it looks like a name.
 */
function fieldText(path: Path, kind: string | undefined): string {
  const [head = "", key, ...inner] = path;
  const isSet = kinds[kind ?? ""]?.fields[head]?.unordered === true;
  return isSet && typeof key === "string"
    ? pathText([`${head}[${JSON.stringify(key)}]`, ...inner])
    : pathText(path);
}

/** As a diagnostic shows it: blocks that it asks for stand below the sentence, to be pasted. */
export function sayWithBlocks(message: Message): Record<"summary" | "apart" | "detail", string> {
  const blocks: string[] = [];
  const importCommand = (kind: string, id: string): string => {
    blocks.push(`import {\n  to = ${voice.type(kind)}.NAME\n  id = ${hclText(id)}\n}`);
    return "use the block below, with the resource's own name";
  };
  const { summary, apart, sentence: text } = say({ ...voice, importCommand }, message);
  return { summary, apart, detail: [text, ...blocks].join("\n\n") };
}

/** A quoted template of HCL, in which nothing is a template. */
const hclText = (text: string): string =>
  JSON.stringify(visible(text)).replace(/([$%])\{/g, "$1$1{");

/** A notice, whichever room it comes from. */
export const textOf = (message: Message | string): string =>
  typeof message === "string" ? message : sentence(voice, message);
