/** Follows what messages advise, by their data, as a person does who knows what has happened. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { plainVoice, say } from "../../../provider/messages";
import type { Advise, Person, Way } from "./person";

interface Parts {
  readonly subject?: { readonly id?: string };
  readonly namesake?: { readonly id: string };
  readonly ids?: readonly string[];
  readonly intent?: string;
  readonly file?: string;
  readonly why?: string;
  readonly resume?: boolean;
  readonly unproved?: string;
  readonly isShown?: boolean;
  readonly turnedOff?: boolean;
}

/** None where its condition does not hold. */
type Advice = (person: Person, parts: Parts, about: string) => readonly Way[];

/** An object's import, if it is meant to be this declaration's. */
const imported = (person: Person, id: string, about: string): readonly Way[] =>
  person.isMeant(id, about) ? [() => person.import(about, id)] : [];

/** Two may have one name, unless that is refused. */
const renamed = (person: Person, about: string): readonly Way[] =>
  person.refusesNames ? [() => person.rename(about)] : [];

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
  possibly_ours: (person, { subject: { id = "" } = {}, isShown, resume }, about) => {
    if (resume) return [];
    if (!isShown && (person.isHeld(id) || person.hasObject(about))) return [() => person.refresh()];
    if (person.isOurs(id)) return [() => person.once({ resume: true })];
    return isShown ? renamed(person, about) : imported(person, id, about);
  },
  same_name: (person, { subject: { id = "" } = {}, isShown, unproved }, about) => {
    // As of all names: Pulumi's sentences end with what to do about the one that is replaced.
    if (!isShown && (person.isHeld(id) || person.hasObject(about))) return [() => person.refresh()];
    if (unproved !== undefined && !person.isMeant(id, about)) {
      return [() => person.once({ resume: false })];
    }
    if (!isShown) return imported(person, id, about);
    const isLeft = person.isOurs(id) && !person.isHeld(id);
    return isLeft ? [() => person.deleteByHand(id)] : renamed(person, about);
  },
  made_with_same_name: (person, { namesake: { id } = { id: "" } }) =>
    person.isOurs(id) && !person.isHeld(id) ? [() => person.deleteByHand(id)] : [],
  planned_twice: (person, _, about) => [
    () => person.rename(about),
    () => person.always({ sameName: "allow" }),
  ],
  handed_over: (person, { subject: { id = "" } = {} }, about) => imported(person, id, about),
  candidates_left: (person, { ids = [], isShown }, about) => {
    const id = ids.find((each) => person.isOurs(each) && !person.isHeld(each));
    if (id !== undefined && !isShown) return imported(person, id, about);
    const another = (): void => person.once({ scope: undefined });
    return [() => (id === undefined || person.deleteByHand(id), another())];
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
  // What was not edited is continued.
  left_unfinished: () => [],
};

export class CannotFollow extends Error {}

/** @throws CannotFollow where it advises what nobody here knows */
export const waysOf: Advise = (person, message, about) => {
  const { remedy } = say(plainVoice, message);
  if (remedy === "") return [];
  const advice = ADVICE[message.code];
  if (!advice) throw new CannotFollow(`${message.code}: ${remedy}`);
  return advice(person, message.parts as Parts, about);
};
