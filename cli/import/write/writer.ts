/** What each format does for `erphost import`: reads what a folder declares, and writes a program. */
import { InvalidInput } from "../../../provider";
import { camel, issueAt, toCamel } from "../../../provider/contract";
import type { Kind } from "../../../provider/resources";
import type { Files } from "../folder";
import type { DeclaredName, Program } from "../program/model";

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

/** A file's text with a new part at its end. */
export const appended = (existing: string | undefined, text: string): string =>
  existing === undefined || existing.trim() === "" ? text : `${existing.trimEnd()}\n\n${text}`;

/** Refuses a folder whose files do not fit. @param text what the file does: "has no resources" */
export const misfit = (file: string, text: string, remedy: string): InvalidInput =>
  new InvalidInput("import", [issueAt([file], "stated", { text, remedy })]);

/** A field's value with its members as programs in camelCase write them; free maps keep theirs. */
export const programValue = (kind: Kind, field: string, value: unknown): unknown =>
  toCamel(kind.fields, { [field]: value })[camel(field)];
