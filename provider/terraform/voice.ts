/** How Terraform's users know things: attributes, arguments of the provider block, resource types. */
import { pathText, sentence, type Message, type Voice } from "../messages";
import { snakeSetting, variableOf } from "../settings";
import { PROVIDER } from "./names";

export const voice: Voice = {
  field: (path) => pathText(path),
  setting: (name) => `${snakeSetting(name)} (${variableOf(name)})`,
  type: (kind) => `${PROVIDER}_${kind}`,
  importCommand: (kind, id) => `import { to = ${PROVIDER}_${kind}.NAME, id = "${id}" }`,
};

/** A notice, whichever room it comes from. */
export const textOf = (message: Message | string): string =>
  typeof message === "string" ? message : sentence(voice, message);
