/** How Terraform's users know things: attributes, arguments of the provider block, resource types. */
import { sentence, type Message, type Path, type Voice } from "../messages";
import { kinds } from "../resources";
import { snakeSetting, variableOf } from "../settings";
import { PROVIDER } from "./names";

export const voice: Voice = {
  field: fieldText,
  setting: (name) => `${snakeSetting(name)} (${variableOf(name)})`,
  type: (kind) => `${PROVIDER}_${kind}`,
  importCommand: (kind, id) => `\`terraform import ${PROVIDER}_${kind}.NAME ${shellWord(id)}\``,
};

/** As a program refers to it: `members["ada@example.com"].role`, `properties["cost-centre"]`. */
function fieldText(path: Path, kind: string | undefined): string {
  const [head = "", ...rest] = path;
  const isSet = kinds[kind ?? ""]?.fields[head]?.unordered === true;
  return rest.reduce<string>((text, part, index) => {
    if (typeof part === "number") return `${text}[${part}]`;
    // A member of a set is known by its key, which is a value and not a name.
    const isName = NAME.test(part) && !(isSet && index === 0);
    return isName ? `${text}.${part}` : `${text}[${JSON.stringify(part)}]`;
  }, String(head));
}

const NAME = /^[A-Za-z_][\w-]*$/;

/** An id of the service needs no quotes; one that does not look like an id gets them. */
const shellWord = (text: string): string => (/^[\w.:-]+$/.test(text) ? text : JSON.stringify(text));

/** A notice, whichever room it comes from. */
export const textOf = (message: Message | string): string =>
  typeof message === "string" ? message : sentence(voice, message);
