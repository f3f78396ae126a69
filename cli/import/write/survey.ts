/** What the files of a program declare and import already, as far as they do it as this command does. */
import { jsonOf, snake } from "../../../provider/contract";
import { kinds } from "../../../provider/resources";
import type { Files } from "../folder";
import type { SeenImport, Survey } from "./writer";

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
  readonly imported: RegExp;
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
      for (const kind of Object.keys(kinds)) declared.push([kind, `"${name}"`]);
    }
    const found = [...code.matchAll(shape.declaration)];
    found.forEach(({ index, groups = {} }, number) => {
      const kind = Object.values(kinds).find(({ title }) => title === groups["class"])?.name;
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

/** What a text in double quotes says; undefined where only the language itself could tell. */
function textIn(quoted: string | undefined): string | undefined {
  const value = quoted === undefined ? undefined : jsonOf(`"${quoted}"`);
  return typeof value === "string" ? value : undefined;
}

/** `erp-zurich` → `erp_zurich` */
export const placeFrom = (name: string): string => snake(name.replaceAll("-", "_"));
