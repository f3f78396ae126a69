/** What a person reads in a Pulumi run: every message in the names that a Pulumi program uses. */
import { camel, InvalidInput, pascal, type InputIssue, type Values } from "../contract";
import { reasonOf } from "../engine";
import { pathText, sentence, shellWord, type Voice } from "../messages";
import { kinds, programPath, type Kind } from "../resources";
import { settings as allSettings, variableOf, type Setting } from "../settings";
import { PACKAGE, typeToken } from "./plugin/values/tokens";
import { accountPath, accountVariableOf, isSet } from "./settings";

const settings: Readonly<Record<string, Setting>> = allSettings;
const titleOf = (kind: string): string => kinds[kind]?.title ?? pascal(kind);

type Naming = (name: string) => string;
/** Pulumi's refresh and destroy do not run the program: the variable alone reaches every run. */
const namesOfSettings = (key: Naming, variable: Naming, set = "set") => ({
  setting: (name: string): string =>
    settings[name]?.perRun ? variable(name) : `${key(name)} (${variable(name)})`,
  howToSet: (name: string): string => {
    if (settings[name]?.perRun) return `set ${variable(name)}`;
    const secret = settings[name]?.secret === true ? " --secret" : "";
    return `run \`pulumi config ${set}${secret} ${shellWord(key(name))}\` or set ${variable(name)}`;
  },
});

const names: Omit<Voice, "importCommand"> = {
  field: (path, kind) => pathText(programPath(kind, path)),
  ...namesOfSettings((name) => `${PACKAGE}:${name}`, variableOf),
  type: titleOf,
  afterKeyChange:
    "Where it was changed since the last `pulumi up`, run that once without --refresh: a refresh uses the key in the state.",
  replacedUnshown:
    "Where a taint, --replace, replacementTrigger or replaceWith asks for this, run that with --refresh: it shows which object the state has.",
};

/** For programs with the dynamic classes, which import by an argument. */
export const dynamicVoice: Voice = {
  ...names,
  importCommand: (kind, id) =>
    `new ${titleOf(kind)}("NAME", { …, adoptId: ${JSON.stringify(id)} }), unless a taint or --replace is replacing it`,
};

/** For what concerns a named account of a program with the dynamic classes. */
export function voiceOf(account: string | undefined): Voice {
  if (account === undefined) return dynamicVoice;
  const key = (name: string): string => `${PACKAGE}:${pathText(accountPath(account, [name]))}`;
  const variable = (name: string): string => accountVariableOf(account, name);
  return { ...dynamicVoice, ...namesOfSettings(key, variable, "set --path") };
}

/** For the plugin, and programs in any language. */
export const pluginVoice: Voice = {
  ...names,
  importCommand: (kind, id) =>
    `pulumi import ${typeToken({ title: titleOf(kind) })} NAME ${shellWord(id)}`,
};

/** For a provider that a program declares: what that gives, no stack configures. */
export const providerVoice = (name: string, given: Values): Voice => ({
  ...pluginVoice,
  setting: (own) => (isSet(given[own]) ? `${own} of the provider ${name}` : names.setting(own)),
  howToSet: (own) => (isSet(given[own]) ? "set it in the program" : names.howToSet(own)),
});

/**
 * The documentation of a kind or of a field, whose fields it names between backticks.
 * `With it only `encrypted_value` is kept` → `With it only `encryptedValue` is kept`
 */
export const docText = (kind: Kind, doc: string): string =>
  doc.replace(/`(\w+)`/g, (whole, name: string) =>
    kind.fields[name] ? `\`${camel(name)}\`` : whole,
  );

/**
 * Faults of the inputs, as a check answers them: in words alone. Of a property that it named, Pulumi
 * would print the whole value, and in plain text what is secret in that.
 * @param kind none: the inputs are settings
 */
export const checkFailures = (voice: Voice, issues: readonly InputIssue[], kind?: string) =>
  issues.map((issue) => {
    const about = kind === undefined ? issue : { ...issue, subject: { kind } };
    return { property: "" as const, reason: sentence(voice, about) };
  });

/** Why a call failed, in the names of the program. */
export function failureText(voice: Voice, error: unknown): string {
  if (error instanceof InvalidInput) {
    return error.issues.map((issue) => sentence(voice, issue)).join(" ");
  }
  const reason = reasonOf(error);
  return typeof reason === "string" ? reason : sentence(voice, reason);
}
