/** What a person reads in a Pulumi run: every message in the names that a Pulumi program uses. */
import { camel, InvalidInput, pascal, type InputIssue } from "../contract";
import { reasonOf } from "../engine";
import { pathText, say, sentence, shellWord, type Voice } from "../messages";
import { kinds, programPath, type Kind } from "../resources";
import { settings as allSettings, variableOf, type Setting } from "../settings";
import { PACKAGE, typeToken } from "./plugin/values/tokens";
import { accountPath, accountVariableOf } from "./settings";

const settings: Readonly<Record<string, Setting>> = allSettings;

const titleOf = (kind: string): string => kinds[kind]?.title ?? pascal(kind);

const names: Omit<Voice, "importCommand"> = {
  field: (path, kind) => pathText(programPath(kind, path)),
  // Pulumi's refresh and destroy do not run the program: the variable alone reaches every run.
  setting: (name) =>
    settings[name]?.perRun ? variableOf(name) : `${PACKAGE}:${name} (${variableOf(name)})`,
  howToSet: (name) => {
    if (settings[name]?.perRun) return `set ${variableOf(name)}`;
    const secret = settings[name]?.secret === true ? " --secret" : "";
    return `run \`pulumi config set${secret} ${PACKAGE}:${name}\` or set ${variableOf(name)}`;
  },
  type: titleOf,
  afterKeyChange:
    "Where it was changed since the last `pulumi up`, run that once without --refresh: a refresh uses the key in the state.",
  replacedUnshown:
    "Where a taint or --replace asks for this, run that with --refresh: it shows which object the state has.",
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
  return {
    ...dynamicVoice,
    setting: (name) =>
      settings[name]?.perRun
        ? accountVariableOf(account, name)
        : `${key(name)} (${accountVariableOf(account, name)})`,
    howToSet: (name) => {
      if (settings[name]?.perRun) return `set ${accountVariableOf(account, name)}`;
      const secret = settings[name]?.secret === true ? " --secret" : "";
      return `run \`pulumi config set --path${secret} ${shellWord(key(name))}\` or set ${accountVariableOf(account, name)}`;
    },
  };
}

/** For the plugin, and programs in any language. */
export const pluginVoice: Voice = {
  ...names,
  importCommand: (kind, id) =>
    `pulumi import ${typeToken({ title: titleOf(kind) })} NAME ${shellWord(id)}`,
};

/**
 * The documentation of a kind or of a field, whose fields it names between backticks.
 * `With it only `encrypted_value` is kept` → `With it only `encryptedValue` is kept`
 */
export const docText = (kind: Kind, doc: string): string =>
  doc.replace(/`(\w+)`/g, (whole, name: string) =>
    kind.fields[name] ? `\`${camel(name)}\`` : whole,
  );

/** One fault of the inputs, as a check answers it. */
export interface PropertyFailure {
  readonly property: string;
  readonly reason: string;
}

/** What the inputs belong to: a kind, a lookup, or the settings. */
interface Described {
  readonly name?: string;
  readonly fields?: Readonly<Record<string, { readonly secret?: boolean }>>;
}

/**
 * Pulumi prints the value of `property`, which it looks up by the name of a whole property: a place
 * inside it is part of the reason. Of a secret field no property is named, because Pulumi would
 * print the plain text wherever the program's language did not mark it.
 */
export function propertyFailure(
  voice: Voice,
  issue: InputIssue,
  { name, fields = {} }: Described = {},
): PropertyFailure {
  const [head, ...inner] = programPath(name, issue.path);
  const property = fields[String(issue.path[0])]?.secret === true ? "" : String(head ?? "");
  const said = say(voice, { ...issue, ...(name !== undefined && { subject: { kind: name } }) });
  const whole = property !== "" && inner.length === 0;
  return { property, reason: whole ? said.reason : said.sentence };
}

/** Why a call failed, in the names of the program. */
export function failureText(voice: Voice, error: unknown): string {
  if (error instanceof InvalidInput) {
    return error.issues.map((issue) => sentence(voice, issue)).join(" ");
  }
  const reason = reasonOf(error);
  return typeof reason === "string" ? reason : sentence(voice, reason);
}
