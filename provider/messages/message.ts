/** Messages as data: a code, what it is about, and its parts. Faces turn them into sentences. */

/** A field, then keys and indices inside it, in contract names. Empty: the whole. */
export type Path = readonly (string | number)[];

/** The object that a message is about. */
export interface Subject {
  /** Contract name of its kind: `api_key`. */
  readonly kind: string;
  /** Left out while the service has not given it one. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/** How a face names things. Every name in a message comes from here, so that none is another face's. */
export interface Voice {
  /** A field of a kind: `ip_whitelist[0]`, or `ipWhitelist[0]`. Keys of free maps stay as they are. */
  field(path: Path, kind: string | undefined): string;
  /** A setting of the provider, and how to set it: `allowMassGone (ERPHOST_ALLOW_MASS_GONE)`. */
  setting(name: string): string;
  /** What a person does to set it, as a clause: `set ERPHOST_API_KEY or …`. */
  howToSet(name: string): string;
  /** A kind where the reader has to write it: `erphost_api_key`, or `ApiKey`. */
  type(kind: string): string;
  /** What a person runs or writes to import an object, ready to be pasted. */
  importCommand(kind: string, id: string): string;
  /** What a person does whose new key is set already, but not in the state that a run reads with. */
  readonly afterKeyChange?: string;
  /** How a person has an object's state shown, where hosts that replace it do not show that first. */
  readonly replacedUnshown?: string;
}

/** A voice with what every sentence needs, for the message that is being said. */
export interface Words {
  /** A field of the message's own kind. */
  readonly field: (path: Path | string) => string;
  readonly setting: (name: string) => string;
  readonly howToSet: (name: string) => string;
  /** Empty where no state keeps a key. */
  readonly afterKeyChange: string;
  /** Empty where hosts show the state of what they replace. */
  readonly replacedUnshown: string;
  readonly type: (kind: string) => string;
  readonly importCommand: (subject: Subject) => string;
  /** The object that the message is about: `server srv_1 (erp-production)`. */
  readonly it: string;
  /** The same of any object. */
  readonly subject: (subject: Subject) => string;
  /** A kind as a noun: `API key`. */
  readonly noun: (kind: string) => string;
  /** The noun with its article: `an API key`. */
  readonly a: (kind: string) => string;
  /** `a, b and c`. */
  readonly and: (names: readonly string[]) => string;
  /** `a, b or c`. */
  readonly or: (options: readonly string[]) => string;
  /** Another message, as the end of this one's sentence: no capital, no full stop. */
  readonly say: (message: Message | string) => string;
  /** What that other message says to do; empty where it says nothing. */
  readonly remedy: (message: Message | string) => string;
}

/** How one code is said. */
export interface Definition<P> {
  /** When it is said, for the reference: a sentence. */
  readonly when: string;
  /** The same for every message of this code, so that hosts can fold them. A few words. */
  readonly summary: string;
  /** What only this one names: hosts that fold equal summaries would lose it. */
  readonly apart?: (parts: P, about: Pick<Message, "subject" | "path">) => string | undefined;
  /** True: `text` continues a sentence that begins with the place (`name is required`). */
  readonly predicate?: true;
  /** What happened and why, without a full stop. */
  readonly text: (parts: P, words: Words) => string;
  /** What to do: whole sentences. */
  readonly remedy?: (parts: P, words: Words) => string | undefined;
  /** Parts as they may come, for the reference and for the test that says every message. */
  readonly examples: Examples<P>;
}

type Examples<P> = readonly [P, ...P[]];

/** As it is written: without examples where no part has to be there, which is then the example. */
type Entry<P> = Omit<Definition<P>, "examples" | "predicate"> &
  (object extends P ? { readonly examples?: Examples<P> } : { readonly examples: Examples<P> });

/** One message, ready to be said by any face. Never holds a secret. */
export interface Message {
  readonly code: string;
  /** The kind, object or field it is about, where it is about one. */
  readonly subject?: Subject | undefined;
  readonly path?: Path | undefined;
  readonly parts: unknown;
}

/** Defines a message; the type of its parts is checked wherever it is made. */
export const define = <P = object>(entry: Entry<P>): Definition<P> => ({
  // An entry without examples is of a type whose parts may all be left out.
  examples: [{} as P],
  ...entry,
});

/** The same for one whose `text` continues a sentence that begins with the place. */
export const predicate = <P = object>(entry: Entry<P>): Definition<P> => ({
  ...define<P>(entry),
  predicate: true,
});

/** Ids, scopes or the like that a message lists at most. */
const LISTED_MAX = 10;

export const shortened = (names: readonly string[]): string =>
  names.length <= LISTED_MAX
    ? names.join(", ")
    : `${names.slice(0, LISTED_MAX).join(", ")} and ${names.length - LISTED_MAX} more`;
