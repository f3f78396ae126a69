/** From a message to a sentence, in the words of a face. */
import { catalogue } from "./catalogue";
import { shellWord, visible } from "./safe";
import type { Definition, Message, Path, Subject, Voice, Words } from "./message";

/** A message in the words of a face. */
export interface Said {
  /** Constant for the code: hosts fold equal ones. */
  readonly summary: string;
  /** What would be lost where the message is folded; mostly empty. */
  readonly apart: string;
  /** The field it is about, in the face's name; empty where it is about none. */
  readonly place: string;
  /** What happened, without the place where the message continues it, and without a full stop. */
  readonly text: string;
  /** Empty where there is nothing to do. */
  readonly remedy: string;
  /** Without the place: for hosts that show it themselves. `text`, and `remedy` after it. */
  readonly reason: string;
  /** With the place where the message continues it; without capital, full stop and remedy. */
  readonly clause: string;
  /** All of it, as one or more whole sentences. */
  readonly sentence: string;
}

/** Says one message. */
export function say(voice: Voice, message: Message): Said {
  // The parts were checked against this very code where the message was made.
  const definition = (catalogue as Readonly<Record<string, Definition<unknown>>>)[message.code];
  if (definition === undefined) throw new Error(`there is no message ${message.code}`);
  const words = wordsOf(voice, message);
  // Ids and names are the service's: whatever they hold, a message stays one line of text.
  const place = message.path === undefined ? "" : visible(words.field(message.path));
  const text = visible(definition.text(message.parts, words));
  const remedy = visible(definition.remedy?.(message.parts, words) ?? "");
  const clause = definition.predicate && place !== "" ? `${place} ${text}` : text;
  const whole = clause === text ? capital(text) : clause;
  return {
    summary: definition.summary,
    apart: visible(definition.apart?.(message.parts, message) ?? ""),
    place,
    text,
    remedy,
    reason: remedy === "" ? text : `${stopped(text)} ${remedy}`,
    clause,
    sentence: remedy === "" ? stopped(whole) : `${stopped(whole)} ${remedy}`,
  };
}

/** All of a message as one or more whole sentences. */
export const sentence = (voice: Voice, message: Message): string => say(voice, message).sentence;

function wordsOf(voice: Voice, { subject, parts }: Message): Words {
  // What its parts say of it comes first.
  const { subject: it = subject } = parts as { readonly subject?: Subject };
  return {
    field: (path) => voice.field(typeof path === "string" ? [path] : path, subject?.kind),
    setting: (name) => voice.setting(name),
    howToSet: (name) => voice.howToSet(name),
    afterKeyChange: voice.afterKeyChange ?? "",
    replacedUnshown: voice.replacedUnshown ?? "",
    type: (name) => voice.type(name),
    importCommand: ({ kind: of, id = "ID" }) => voice.importCommand(of, id),
    it: it === undefined ? "" : subjectText(it),
    subject: subjectText,
    noun,
    a,
    and: (names) => joined(names, "and"),
    or: (options) => joined(options, "or"),
    say: (message) =>
      typeof message === "string" ? unstopped(message) : say(voice, message).clause,
    remedy: (message) => (typeof message === "string" ? "" : say(voice, message).remedy),
  };
}

/** `server srv_1 (erp-production)`. */
export const subjectText = ({ kind, id, name }: Subject): string =>
  [noun(kind), id, name !== undefined && `(${name})`].filter(Boolean).join(" ");

/** `api_key` → `API key`. */
export const noun = (kind: string): string => kind.replace(/_/g, " ").replace(/\bapi\b/, "API");

/** `api_key` → `an API key`. */
export const a = (kind: string): string => {
  const word = noun(kind);
  return `${/^[aeiou]/i.test(word) ? "an" : "a"} ${word}`;
};

const joined = (names: readonly string[], word: string): string =>
  names.length < 2
    ? (names[0] ?? "")
    : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1) ?? ""}`;

/** With a capital letter, unless an id or a field's name comes first. */
export const capital = (text: string): string =>
  text.replace(/^[a-z]+(?=[\s,;]|:\s|$)/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
const unstopped = (text: string): string => text.replace(/[.\s]+$/, "");
const stopped = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** `members[0].email`, `properties["cost-centre"]` */
export const pathText = (
  [head = "", ...rest]: Path,
  quoted: (part: string) => string = JSON.stringify,
): string =>
  rest.reduce<string>(
    (text, part) =>
      typeof part === "string" && IDENTIFIER.test(part)
        ? `${text}.${part}`
        : `${text}[${typeof part === "string" ? quoted(part) : part}]`,
    typeof head === "number" ? `[${head}]` : head,
  );

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** The environment variable of a setting: `allowMassGone` → `ERPHOST_ALLOW_MASS_GONE`. */
export const variableOf = (setting: string): string =>
  `ERPHOST_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** Contract names for fields and the client's own for settings: for programs, logs and the command line. */
export const plainVoice: Voice = {
  field: (path) => pathText(path),
  setting: (name) => `${name} (${variableOf(name)})`,
  howToSet: (name) => `set ${variableOf(name)} or the option ${name}`,
  type: (kind) => kind,
  importCommand: (kind, id) => `import ${kind} ${shellWord(id)}`,
};
