/** How Pulumi programs know things: properties, stack configuration, classes. */
import { pathText, sentence, type Message, type Voice } from "../messages";
import { kinds, type Kind } from "../resources";
import { variableOf } from "../settings";
import { pulumiPath } from "./values";

/** The voice of one form of the provider; importing differs between the two. */
export const voiceWith = (importCommand: Voice["importCommand"]): Voice => ({
  field: (path, kind) => {
    const known = kind === undefined ? undefined : kinds[kind];
    return known ? pulumiPath(known, path) : pathText(path);
  },
  setting: (name) => `erphost:${name} (${variableOf(name)})`,
  type: (kind) => kinds[kind]?.title ?? kind,
  importCommand,
});

/** A message about an object or field of this kind, unless it says itself what it is about. */
export const about = ({ name }: Kind, message: Message): Message => ({
  ...message,
  subject: message.subject ?? { kind: name },
});

/** A message in this voice; notices of calls are sentences already. */
export const textIn = (voice: Voice, kind: Kind, message: Message | string): string =>
  typeof message === "string" ? message : sentence(voice, about(kind, message));
