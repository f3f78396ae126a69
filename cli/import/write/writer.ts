/** What each format does for `erphost import`: reads what a folder declares, and writes a program. */
import { camel, isRecord, stated, toCamel, type InvalidInput } from "../../../provider/contract";
import type { Kind } from "../../../provider/resources";
import type { Files } from "../folder";
import type { DeclaredName, Program, TakenObject } from "../program/model";

/** An object that a file takes over, as the file says. */
export interface SeenImport {
  readonly kind: string;
  /** An id, or `name=…`. */
  readonly id: string;
  /** Undefined: it is somewhere to which no reference leads. */
  readonly place: DeclaredName | undefined;
}

/** What the files of a folder say, by whomever they were written. */
export interface Survey {
  /** No new object gets such a name, and references may lead there; in quotes, it is only taken. */
  readonly declared: readonly (readonly [kind: string, name: string])[];
  readonly imports: readonly SeenImport[];
}

/** What rendering depends on besides the program. */
export interface WriteOptions {
  readonly version: string;
  /** Name of the program's folder. */
  readonly folder: string;
}

export interface Writer {
  /** Files of a folder that belong to a program of this format, by their names. */
  readonly reads: RegExp;
  readonly survey: (existing: Files) => Survey;
  /** New files, and the whole text of those that are added to. The program has an object at least. */
  readonly render: (program: Program, existing: Files, options: WriteOptions) => Files;
  /** What to do in the folder next, one command a line. @param existing what was there before */
  readonly next: (existing: Files, options: WriteOptions) => readonly string[];
}

/** The name of an object where those of all kinds share the names: each ends in its kind. */
export const nameWithKind = (kind: string, { name }: DeclaredName): string =>
  `${name}_${kind}`.replaceAll("_", "-");

/** A file's text with a new part at its end. */
export const appended = (existing: string | undefined, text: string): string =>
  existing === undefined || existing.trim() === "" ? text : `${existing.trimEnd()}\n\n${text}`;

/** Refuses a folder whose files do not fit. @param text what the file does: "has no resources" */
export const misfit = (file: string, text: string, remedy: string): InvalidInput =>
  stated("import", [file], text, remedy);

/** A field's value with its members as programs in camelCase write them; free maps keep theirs. */
export const programValue = (kind: Kind, field: string, value: unknown): unknown =>
  toCamel(kind.fields, { [field]: value })[camel(field)];

/** What cannot be had of any object of a kind. @param name how the language writes a field */
export function kindNote({ fields, reading }: Kind, name: (field: string) => string): string[] {
  const secret = Object.keys(fields).find(
    (field) => fields[field]?.secret === true && fields[field].use === "output",
  );
  if (secret === undefined || reading.rotates !== "own-key") return [];
  return [
    `The service shows a secret once, so ${name(secret)} is empty after an import. A change of ${name("triggers")}`,
    "rotates the key; its new secret is then known.",
  ];
}

/** A free field that is left out. @param property in quotes @param bag where a program may give it */
export const secretNote = (property: string, bag: string): string =>
  `${property} may be a secret, so it is not written: give it in ${bag} to manage it.`;

/**
 * What can be written, and the names of the free fields that a language or an engine cannot hold.
 * @param isTrouble whether a key, at any depth, would become something else
 */
export function sortFreeFields(values: TakenObject["values"], isTrouble: (key: string) => boolean) {
  const bag = values.get("properties");
  const free = bag?.is === "literal" && isRecord(bag.value) ? Object.entries(bag.value) : [];
  const lost = free.filter(([key, inner]) => has({ [key]: inner }, isTrouble));
  if (lost.length === 0) return { writable: values, lost: [] };
  const kept = Object.fromEntries(free.filter((each) => !lost.includes(each)));
  const writable = new Map(values);
  if (Object.keys(kept).length > 0) writable.set("properties", { is: "literal", value: kept });
  else writable.delete("properties");
  return { writable, lost: lost.map(([key]) => key) };
}

function has(value: unknown, isTrouble: (key: string) => boolean): boolean {
  if (Array.isArray(value)) return value.some((each: unknown) => has(each, isTrouble));
  if (!isRecord(value)) return false;
  return Object.entries(value).some(([key, inner]) => isTrouble(key) || has(inner, isTrouble));
}
