/** Programs with a file per kind, and one that loads them all: what their languages have in common. */
import { jsonOf, resources, snake } from "../../../provider/contract";
import { kinds as allKinds, type Kind } from "../../../provider/resources";
import type { Files } from "../folder";
import type { Program, TakenObject, Value } from "../program/model";
import { appended, kindNote, misfit } from "./writer";
import type { SeenImport, Survey, WriteOptions } from "./writer";

/** How a language says a program. */
export interface ModuleLanguage {
  readonly fileOf: (kind: Kind) => string;
  /** The file that loads all others, and the line that loads one. */
  readonly entry: string;
  readonly loads: (kind: Kind) => string;
  /** Lines that every file of a kind begins with. */
  readonly head: (kind: Kind) => readonly string[];
  /** The line with which a file refers to the objects of another kind. */
  readonly uses: (kind: Kind) => string;
  /** What a file's names stand for, where it imports or declares them; a module is one in quotes. */
  readonly namesIn: (text: string) => ReadonlyMap<string, string>;
  /** What a reader of a kind's file should know, in lines. */
  readonly notes?: (kind: Kind) => readonly string[];
  readonly comment: string;
  readonly nameOf: (field: string) => string;
  readonly declaration: (object: TakenObject) => string;
  /** Files that a new program needs besides; those that are there stay. */
  readonly project: (options: WriteOptions) => Files;
}

/** The text of every file that is new or added to. */
export function renderModules(
  program: Program,
  existing: Files,
  options: WriteOptions,
  language: ModuleLanguage,
): Map<string, string> {
  const files = new Map<string, string>();
  for (const [name, text] of language.project(options)) {
    if (!existing.has(name)) files.set(name, text);
  }
  const taken = new Map(program.objects.map(({ kind }) => [kind.name, kind]));
  for (const kind of taken.values()) {
    const name = language.fileOf(kind);
    const objects = program.objects.filter((object) => object.kind === kind);
    const before = existing.get(name);
    const referred = Object.values(allKinds).filter(
      (each) => each !== kind && referredIn(objects).has(each.name),
    );
    const lines = [...language.head(kind), ...referred.map(language.uses)];
    const missing = missingFrom(name, before, lines, language);
    const note = before === undefined ? commentOf(kind, language) : "";
    const parts = [missing.join("\n"), note, ...objects.map(language.declaration)];
    files.set(name, appended(before, `${parts.filter((part) => part !== "").join("\n\n")}\n`));
  }
  const entry = existing.get(language.entry);
  const wanted = [...taken.values()].map(language.loads);
  const loads = missingFrom(language.entry, entry, wanted, language);
  if (loads.length > 0) {
    const joined = `${loads.join("\n")}\n`;
    files.set(language.entry, entry === undefined ? joined : `${entry.trimEnd()}\n${joined}`);
  }
  return files;
}

/** @throws InvalidInput where the file has another use for a name */
function missingFrom(
  file: string,
  text: string | undefined,
  lines: readonly string[],
  { namesIn }: ModuleLanguage,
): string[] {
  const there = namesIn(text ?? "");
  return lines.filter((line) => {
    const names = [...namesIn(line)];
    const other = names.find(([name, what]) => (there.get(name) ?? what) !== what)?.[0];
    if (other !== undefined) {
      const remedy = "Rename it there, or use a folder of its own for this program.";
      throw misfit(file, `has a meaning of its own for ${other}`, remedy);
    }
    return names.some(([name]) => !there.has(name));
  });
}

/** Module of a kind: `api_keys`. */
export const pluralOf = ({ name, resource }: Kind): string =>
  resource === undefined ? name : resources[resource].plural;

const commentOf = (kind: Kind, { comment, nameOf, notes }: ModuleLanguage): string =>
  [...kindNote(kind, nameOf), ...(notes?.(kind) ?? [])]
    .map((line) => `${comment} ${line}`)
    .join("\n");

function referredIn(objects: readonly TakenObject[]): Set<string> {
  const found = new Set<string>();
  const visit = (value: Value): void => {
    if (value.is === "reference") found.add(value.kind);
    if (value.is === "list") value.of.forEach(visit);
  };
  for (const { values } of objects) for (const value of values.values()) visit(value);
  return found;
}

/** How a language, and this command in it, write a declaration. */
export interface Shape {
  /** How names of its files end. */
  readonly ending: string;
  /** A file's text without its comments. */
  readonly codeOf: (text: string) => string;
  /** Whatever has a name, in the first group. */
  readonly named: RegExp;
  /** Groups `class`, `name` and, where it has one as this command writes it, `variable`. */
  readonly declaration: RegExp;
  /** Where the declaration is followed by its import; group `id`. */
  readonly imported: Pick<RegExp, "exec">;
  /** The name in a program that a declaration's own name stands for. */
  readonly placeOf: (name: string, kind: string) => string;
  /** The variable that this command would give it. */
  readonly variableOf: (place: string) => string;
}

export function surveyOf(existing: Files, shape: Shape): Survey {
  const declared: [kind: string, name: string][] = [];
  const imports: SeenImport[] = [];
  for (const [file, text] of existing) {
    if (!file.endsWith(shape.ending)) continue;
    const code = shape.codeOf(text);
    for (const [, name = ""] of code.matchAll(shape.named)) {
      for (const kind of Object.keys(allKinds)) declared.push([kind, `"${name}"`]);
    }
    const found = [...code.matchAll(shape.declaration)];
    found.forEach(({ index, groups = {} }, number) => {
      const kind = Object.values(allKinds).find(({ title }) => title === groups["class"])?.name;
      const { name = "", variable } = groups;
      if (kind === undefined) return;
      const place = shape.placeOf(name, kind);
      declared.push([kind, variable === shape.variableOf(place) ? place : `"${name}"`]);
      const body = code.slice(index, found[number + 1]?.index);
      const id = textIn(shape.imported.exec(body)?.groups?.["id"]);
      if (id !== undefined) imports.push({ kind, id, place: { name: place } });
    });
  }
  return { declared, imports };
}

/** What a text in quotes says; undefined where only the language itself could tell. */
function textIn(quoted: string | undefined): string | undefined {
  const value = quoted === undefined ? undefined : jsonOf(`"${quoted}"`);
  return typeof value === "string" ? value : undefined;
}

/** `erp-zurich` → `erp_zurich` */
export const placeFrom = (name: string): string => snake(name.replaceAll("-", "_"));
