/**
 * Follows what messages advise, by their data, as a person does who knows what has happened: whose an
 * object is, whether a run was cut off, what was meant.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { plainVoice, say, type Message } from "../../../provider/messages";
import type { Person } from "./person";

/** What a message may be about. */
interface Parts {
  readonly subject?: { readonly id?: string };
  readonly twin?: { readonly id: string };
  readonly ids?: readonly string[];
  readonly intent?: string;
  readonly file?: string;
  readonly why?: string;
  readonly resume?: boolean;
  readonly unproved?: string;
  readonly turnedOff?: boolean;
}

type Way = () => Promise<void> | void;
/** The ways that a message offers somebody in this position; none where its condition does not hold. */
type Advice = (person: Person, parts: Parts, about: string) => readonly Way[];

/** An object's import, if it is meant to be this declaration's. */
const imported = (person: Person, id: string, about: string): readonly Way[] =>
  person.isMeant(id, about) ? [() => person.import(about, id)] : [];

/** The intent's file goes, whatever follows. */
const dropped = (person: Person, intent: string): void => {
  const { folder } = person.machine;
  for (const name of readdirSync(folder).filter((each) => each.includes(intent))) {
    rmSync(join(folder, name));
  }
};

const ADVICE: Readonly<Record<string, Advice>> = {
  found_alive: (person, { subject: { id = "" } = {}, why }, about) => {
    if (person.isHeld(id) || !person.isOurs(id)) return [() => person.once({ scope: undefined })];
    const resume = (): void => person.once({ resume: true });
    if (why === "unasked") return [resume];
    const others = person.hasObject(about) ? [] : imported(person, id, about);
    return why === "fixed" ? others : [() => (person.planAndApply(), resume()), ...others];
  },
  possibly_ours: (person, { subject: { id = "" } = {}, resume }, about) => {
    if (resume) return [];
    return person.isOurs(id) ? [() => person.once({ resume: true })] : imported(person, id, about);
  },
  same_name: (person, { subject: { id = "" } = {}, unproved }, about) =>
    unproved !== undefined && !person.isMeant(id, about)
      ? [() => person.once({ resume: false })]
      : imported(person, id, about),
  made_with_same_name: (person, { twin: { id } = { id: "" } }) =>
    person.isOurs(id) ? [() => person.deleteByHand(id)] : [],
  planned_twice: (person, _, about) => [
    () => person.rename(about),
    () => person.always({ sameName: "allow" }),
  ],
  handed_over: (person, { subject: { id = "" } = {} }, about) => imported(person, id, about),
  candidates_left: (person, { ids = [] }, about) => {
    const id = ids.find((each) => person.isOurs(each) && !person.isHeld(each));
    return id === undefined
      ? [() => person.once({ scope: undefined })]
      : imported(person, id, about);
  },
  orphan_suspected: (person, { ids = [], intent = "" }, about) => {
    const id = ids.find((each) => person.isOurs(each) && !person.isHeld(each));
    return id === undefined ? [() => dropped(person, intent)] : imported(person, id, about);
  },
  intent_foreign: (person, { file = "" }, about) => [
    async () => {
      const left = person.left()[0];
      if (left !== undefined) await person.import(about, left);
      rmSync(file);
    },
  ],
  protected: (person, { subject: { id = "" } = {}, turnedOff }, about) =>
    turnedOff
      ? [() => person.applyProtectionAlone(about)]
      : person.isDeclared(about)
        ? [() => person.unprotect(about)]
        : [() => person.once({ allowDelete: [id] }), () => person.unprotect(about)],
  identity_shared: (person, _, about) => [() => person.rename(about)],
  generations_used_up: (person) => [() => person.once({ scope: undefined })],
  // It is run again in any case.
  own_create: () => [() => undefined],
  kept_instead: () => [() => undefined],
};

export class CannotFollow extends Error {}

/** The ways on that a message offers. @throws CannotFollow where it advises what nobody here knows */
export function waysOf(person: Person, message: Message, about: string): readonly Way[] {
  const { remedy } = say(plainVoice, message);
  if (remedy === "") return [];
  const advice = ADVICE[message.code];
  if (!advice) throw new CannotFollow(`${message.code}: ${remedy}`);
  return advice(person, message.parts as Parts, about);
}
