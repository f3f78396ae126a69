/** What the dynamic provider says, in the words of a program that uses its classes. */
import type { Message } from "../../messages";
import { kinds, type Kind } from "../../resources";
import { textIn, voiceWith } from "../voice";

export const voice = voiceWith(
  (kind, id) => `give new ${kinds[kind]?.title ?? kind}(…) the argument adoptId: "${id}"`,
);

export const textOf = (kind: Kind, message: Message | string): string =>
  textIn(voice, kind, message);
