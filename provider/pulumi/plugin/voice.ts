/** What the plugin says, in the words of a program that uses it. */
import type { Message } from "../../messages";
import { kinds, type Kind } from "../../resources";
import { textIn, voiceWith } from "../voice";
import { typeToken } from "./values/tokens";

export const voice = voiceWith((name, id) => {
  const kind = kinds[name];
  return `pulumi import ${kind ? typeToken(kind) : name} NAME ${id}`;
});

export const textOf = (kind: Kind, message: Message | string): string =>
  textIn(voice, kind, message);
