/** How people at a command line know things: options, environment variables, names of the service. */
import { InvalidInput, invalidInputText, snake } from "../provider/contract";
import { reasonOf } from "../provider/engine";
import { pathText, plainVoice, sentence, type Message, type Voice } from "../provider/messages";
import { clientSettings, settings, variableOf, type Setting } from "../provider/settings";

/** The client's settings without the secret ones: others can see command lines. */
export const flags = Object.entries<Setting>(clientSettings).filter(([, { secret }]) => !secret);

/** `baseUrl` → `--base-url` */
export const flagOf = (setting: string): string => `--${snake(setting).replace(/_/g, "-")}`;

const isFlag = (name: string): boolean => flags.some(([flag]) => flag === name);

const settingText = (name: string): string =>
  isFlag(name) ? `${flagOf(name)} (${variableOf(name)})` : variableOf(name);

export const voice: Voice = {
  field: ([head = "", ...rest], kind) => {
    const isSetting = kind === undefined && Object.hasOwn(settings, head);
    return pathText([isSetting ? settingText(String(head)) : head, ...rest]);
  },
  setting: settingText,
  howToSet: (name) =>
    isFlag(name) ? `use ${flagOf(name)} or set ${variableOf(name)}` : `set ${variableOf(name)}`,
  type: (kind) => kind,
  importCommand: (kind, id) => plainVoice.importCommand(kind, id),
};

export const textOf = (message: Message | string): string =>
  typeof message === "string" ? message : sentence(voice, message);

export const errorText = (error: unknown): string =>
  error instanceof InvalidInput ? invalidInputText(voice, error) : textOf(reasonOf(error));
