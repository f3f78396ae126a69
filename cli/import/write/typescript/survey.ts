/** What the files of a TypeScript program declare and import already, and what its package.json lacks. */
import { isRecord, snake } from "../../../../provider/contract";
import { kinds } from "../../../../provider/resources";
import type { Files } from "../../folder";
import type { SeenImport, Survey } from "../writer";

/** How this command writes a declaration, whose parts have these names. */
export interface Shape {
  /** Everything from `new` on; groups `class`, `name`. */
  readonly declaration: RegExp;
  /** Where the declaration is followed by its import; group `id`. */
  readonly imported: RegExp;
  /** The name in a program that a declaration's own name stands for. */
  readonly placeOf: (name: string, kind: string) => string;
  /** The constant that this command would give it. */
  readonly constantOf: (place: string) => string;
}

/** Comments, and before them texts, in which nothing is one. */
const COMMENTS =
  /(?<text>"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|`(?:[^`\\]|\\[^])*`)|\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*/g;
const NAMED = /\b(?:const|let|var|function|class|as)\s+([A-Za-z_$][\w$]*)/g;

const kindOf = (title: string) => Object.values(kinds).find((kind) => kind.title === title);

export function surveyOf(existing: Files, shape: Shape): Survey {
  const declared = new Map<string, Set<string>>();
  const imports: SeenImport[] = [];
  const add = (kind: string, name: string): void => {
    declared.set(kind, (declared.get(kind) ?? new Set()).add(name));
  };
  for (const [file, text] of existing) {
    if (!file.endsWith(".ts")) continue;
    const code = codeOf(text);
    // In quotes, a name is taken and no reference leads to it.
    for (const [, name = ""] of code.matchAll(NAMED)) {
      for (const kind of Object.keys(kinds)) add(kind, `"${name}"`);
    }
    const found = [...code.matchAll(shape.declaration)];
    found.forEach(({ index, groups = {} }, number) => {
      const kind = kindOf(groups["class"] ?? "")?.name;
      const name = groups["name"] ?? "";
      if (kind === undefined) return;
      const place = shape.placeOf(name, kind);
      const before = code.slice(0, index).split("\n").at(-1)?.trim() ?? "";
      const isOwn = before === `export const ${shape.constantOf(place)} =`;
      add(kind, isOwn ? place : `"${name}"`);
      const body = code.slice(index, found[number + 1]?.index);
      const id = shape.imported.exec(body)?.groups?.["id"];
      const plain = textIn(id);
      if (plain !== undefined) imports.push({ kind, id: plain, place: { name: place } });
    });
  }
  return { declared, imports };
}

const codeOf = (text: string): string => text.replace(COMMENTS, "$<text>");

const IMPORT = /\bimport\s*(?:(?<clause>[^"'`;()]+?)\s*\bfrom\s*)?["'](?<module>[^"'\n]+)["']/g;
const DECLARED = /\b(?:const|let|var|function|class|enum)\s+(?<name>[A-Za-z_$][\w$]*)/g;

/** What a file's names stand for; a module that it imports is one in quotes. */
export function namesIn(text: string): Map<string, string> {
  const code = codeOf(text);
  const names = new Map<string, string>();
  for (const { groups = {} } of code.matchAll(DECLARED)) names.set(groups["name"] ?? "", "its own");
  for (const { groups = {} } of code.matchAll(IMPORT)) {
    const module = (groups["module"] ?? "").replace(/^(\..*)\.[jt]s$/, "$1");
    names.set(`"${module}"`, module);
    for (const part of (groups["clause"] ?? "").split(/[{},]/)) {
      const [, what, name] = /^\s*(?:(\S+)\s+as\s+)?([\w$]+)\s*$/.exec(part) ?? [];
      if (name !== undefined) names.set(name, `${what ?? name} of ${module}`);
    }
  }
  return names;
}

/** What a text in double quotes says; undefined where only the language itself could tell. */
function textIn(quoted: string | undefined): string | undefined {
  if (quoted === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(`"${quoted}"`);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `erp-zurich` → `erp_zurich` */
export const placeFrom = (name: string): string => snake(name.replaceAll("-", "_"));

const FIELDS = ["dependencies", "devDependencies", "peerDependencies"];

/** The command that installs a program's packages, and those that its package.json lacks. */
export function installing(existing: Files, packages: Readonly<Record<string, string>>): string {
  const text = existing.get("package.json");
  const there = text === undefined ? undefined : dependenciesIn(text);
  const missing = Object.entries(packages).filter(([name]) => there?.has(name) === false);
  return ["npm install", ...missing.map(([name, version]) => `${name}@${version}`)].join(" ");
}

function dependenciesIn(text: string): Set<string> {
  try {
    const value: unknown = JSON.parse(text);
    const fields = isRecord(value) ? FIELDS.map((field) => value[field]) : [];
    return new Set(fields.flatMap((field) => Object.keys(isRecord(field) ? field : {})));
  } catch {
    return new Set();
  }
}
