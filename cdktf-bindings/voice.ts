/** How authors of constructs know things: props, construct classes, methods of constructs. */
import { snake } from "../provider/contract";
import { pathText, plainVoice, sentence, variableOf } from "../provider/messages";
import type { Message, Voice } from "../provider/messages";
import { kinds, programPath } from "../provider/resources";

/** Props under another name than the field: an id is given as the construct that has it. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  api_key_rotation: { key_id: "key" },
  backup: { instance_id: "instance", server_id: "server" },
  instance: { server_id: "server" },
};

/** Constructs whose class is not the title of the kind. */
const CLASSES: Readonly<Record<string, string>> = { api_key_rotation: "RotatedApiKey" };
const className = (kind: string): string => CLASSES[kind] ?? kinds[kind]?.title ?? kind;

export const voice: Voice = {
  field: ([head, ...rest], kind) =>
    pathText(programPath(kind, [RENAMED[kind ?? ""]?.[String(head)] ?? head ?? "", ...rest])),
  // The props of ErphostProvider have the names of the settings.
  setting: (name) => plainVoice.setting(name),
  howToSet: (name) => `set ${name} of the ErphostProvider or ${variableOf(name)}`,
  type: className,
  importCommand: (kind, id) =>
    `new ${className(kind)}(…).resource.importFrom(${JSON.stringify(id)})`,
};

/** The voice of L1, whose props have the names of the fields. */
export const l1Voice: Voice = {
  ...voice,
  field: (path, kind) => pathText(programPath(kind, path)),
};

/** A message to the author of a program, in whole sentences. */
export const sentenceOf = (message: Message): string => sentence(voice, message);

/** The field that a prop of a construct sets. */
export function fieldOfProp(kind: string, prop: string): string {
  return Object.entries(RENAMED[kind] ?? {}).find(([, name]) => name === prop)?.[0] ?? snake(prop);
}

/** Whether a prop takes a construct in place of an id. */
export const takesConstruct = (kind: string, field: string): boolean =>
  RENAMED[kind]?.[field] !== undefined;
