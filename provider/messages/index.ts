/**
 * The messages room: what the rooms of the product say to people, as data, and the English of it in
 * one catalogue. It imports nothing, and every room may import it.
 *
 * A room makes a message (`message("required", {}, { path: ["name"] })`), a face says it with its own
 * voice (`say(voice, message)`), and nobody reads a sentence back.
 */
import { catalogue } from "./catalogue";
import type { Definition, Message, Path, Subject } from "./message";

export type Catalogue = typeof catalogue;
export type MessageCode = keyof Catalogue;
/** The parts that a message of this code takes. */
export type PartsOf<C extends MessageCode> = Catalogue[C] extends Definition<infer P> ? P : never;

/** What a message is about. */
export interface About {
  readonly subject?: Subject | undefined;
  readonly path?: Path | undefined;
}

/** Makes a message. It is about the `subject`, or about the `kind`, of its parts. */
export const message = <C extends MessageCode>(
  code: C,
  parts: PartsOf<C>,
  about: About = {},
): Message => ({ code, parts, ...subjectIn(parts), ...about });

function subjectIn(parts: unknown): About {
  // Only these two are read, and `define` types them wherever a message has them.
  const { kind, subject } = parts as { readonly kind?: string; readonly subject?: Subject };
  if (subject !== undefined) return { subject };
  return kind === undefined ? {} : { subject: { kind } };
}

export { catalogue };
export { nearest } from "./nearest";
export { isVisible, SERVICE_KEY, shellWord, visible } from "./safe";
export { a, capital, noun, pathText, plainVoice, say, sentence } from "./say";
export { subjectText, variableOf } from "./say";
export type { Definition, Message, Path, Subject, Voice } from "./message";
