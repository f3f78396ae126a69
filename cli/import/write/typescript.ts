/** Programs in TypeScript, as Prettier leaves them: what their files are called, export and need. */
import { camel, isRecord, jsonOf } from "../../../provider/contract";
import { kinds, type Kind } from "../../../provider/resources";
import type { Files } from "../folder";
import type { Value } from "../program/model";
import { pluralOf } from "./modules";
import { escaped, indented, listOf, quotedAs, withComma, type Source } from "./source";

const WIDTH = 80;
const INDENT = 2;

/** Words that no constant may be named; `exports` and `require` are those of a CommonJS module. */
const RESERVED = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval " +
    "export exports extends false finally for function if implements import in instanceof interface " +
    "let new null package private protected public require return static super switch this throw " +
    "true try typeof undefined var void while with yield"
  ).split(" "),
);

export const quoted = (text: string): string => `"${escaped(text, (hex) => `\\u{${hex}}`)}"`;

/** Any JSON value. @param column where the expression begins */
export function sourceOf(value: unknown, column: number): Source {
  if (typeof value === "string") return [quoted(value)];
  if (Array.isArray(value)) {
    return arrayOf(
      value.map((each: unknown) => sourceOf(each, column + 2)),
      column,
    );
  }
  if (!isRecord(value)) return [JSON.stringify(value ?? null)];
  return objectOf(
    Object.entries(value).map(([key, inner]) => [
      keyOf(key),
      sourceOf(inner, column + keyOf(key).length + 4),
    ]),
  );
}

export const arrayOf = (elements: readonly Source[], column: number): Source =>
  listOf(elements, INDENT, (line) => column + line.length < WIDTH);

export function objectOf(members: readonly (readonly [key: string, value: Source])[]): Source {
  if (members.length === 0) return ["{}"];
  const lines = members.flatMap(([key, [first = "", ...more]]) =>
    withComma([`${key}: ${first}`, ...more]),
  );
  return ["{", ...indented(lines, INDENT), "}"];
}

/** A call with an argument a line. @param comments lines before the last parenthesis */
export const callOf = (head: string, args: readonly Source[], comments: Source = []): string =>
  [`${head}(`, ...indented([...args.flatMap(withComma), ...comments], INDENT), ");"].join("\n");

/** A key of an object. A literal `__proto__` would set what the object inherits. */
const keyOf = (key: string): string =>
  key === "__proto__" ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key);

const moduleOf = (kind: Kind): string => camel(pluralOf(kind));
const fileOf = (kind: Kind): string => `${pluralOf(kind).replaceAll("_", "-")}.ts`;
const pathOf = (kind: Kind): string => `./${fileOf(kind).replace(/\.ts$/, "")}`;
const TEXT = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|`(?:[^`\\]|\\[^])*`/.source;
/** Comments, and before them texts, in which nothing is one. */
const COMMENTS = new RegExp(String.raw`(?<text>${TEXT})|/\*[^]*?(?:\*/|$)|//[^\n]*`, "g");
const IMPORT_OR_BRACKET = new RegExp(String.raw`\bimport:\s*${quotedAs("id")}|${TEXT}|[(){}]`, "g");
const IMPORT = /\bimport\s*(?:(?<clause>[^"'`;()]+?)\s*\bfrom\s*)?["'](?<module>[^"'\n]+)["']/g;
const DECLARED = /\b(?:const|let|var|function|class|enum)\s+(?<name>[A-Za-z_$][\w$]*)/g;
const codeOf = (text: string): string => text.replace(COMMENTS, "$<text>");

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

/** The option of a constructor, by its group `id`: members of values may be called import as well. */
export function importIn(call: string): RegExpExecArray | null {
  const open: string[] = [];
  for (const found of call.matchAll(IMPORT_OR_BRACKET)) {
    const [token] = found;
    if (token === "(" || token === "{") open.push(token);
    else if (token === ")" || token === "}") open.pop();
    else if (found.groups?.["id"] && open.filter((each) => each === "{").length === 1) return found;
    if (token === ")" && open.length === 0) return null;
  }
  return null;
}

/** What a module of this language has, whatever it declares. */
export const modules = {
  fileOf,
  loads: (kind: Kind): string => `import "${pathOf(kind)}";`,
  uses: (kind: Kind): string => `import * as ${moduleOf(kind)} from "${pathOf(kind)}";`,
  comment: "//",
  nameOf: (field: string): string => `\`${camel(field)}\``,
  namesIn,
};

/** How its declarations are found. @param before what a constructor takes before the name */
export const shapeOf = (before: string) => ({
  ending: ".ts",
  codeOf,
  named: /\b(?:const|let|var|function|class|as)\s+([A-Za-z_$][\w$]*)/g,
  declaration: new RegExp(
    String.raw`(?:^[ \t]*export const (?<variable>[\w$]+) = *)?new erphost\.(?<class>\w+)\(\s*${before}${quotedAs("name")}`,
    "gm",
  ),
});

/** Constants of objects, of which none has a name that the files have themselves. */
export function constants(...names: readonly string[]) {
  const own = new Set([...names, ...Object.values(kinds).map(moduleOf)]);
  const constant = (place: string): string => {
    const name = camel(place);
    return RESERVED.has(name) || own.has(name) ? `${name}_` : name;
  };
  return {
    constant,
    /** An object's constant, as a file of this kind has it. */
    referenceTo: ({ name }: Kind, value: Extract<Value, { is: "reference" }>): string => {
      const target = kinds[value.kind];
      const own = constant(value.place.name);
      return target && target.name !== name ? `${moduleOf(target)}.${own}` : own;
    },
  };
}

/** The text of a package.json, in which the program is `main`. */
export const packageText = (
  main: string,
  dependencies: Readonly<Record<string, string>>,
  scripts?: Readonly<Record<string, string>>,
): string => {
  const devDependencies = { "@types/node": "^24.0.0", typescript: "^5.0.0" };
  const of = { name: "erphost-account", private: true, main, scripts };
  return `${JSON.stringify({ ...of, dependencies, devDependencies }, null, 2)}\n`;
};

export const tsconfigText = (main: string, more: string): string => `{
  "compilerOptions": {
    "target": "es2022",
    "module": "nodenext",
    "moduleResolution": "nodenext",
    "esModuleInterop": true,
    "strict": true,
    "skipLibCheck": true${more}
  },
  "files": ["${main}"]
}
`;

const FIELDS = ["dependencies", "devDependencies", "peerDependencies"];

/** The command that installs a program's packages, and those that its package.json lacks. */
export function installing(existing: Files, packages: Readonly<Record<string, string>>): string {
  const text = existing.get("package.json");
  const there = text === undefined ? undefined : dependenciesIn(text);
  const missing = Object.entries(packages).filter(([name]) => there?.has(name) === false);
  return ["npm install", ...missing.map(([name, version]) => `${name}@${version}`)].join(" ");
}

function dependenciesIn(text: string): Set<string> {
  const value = jsonOf(text);
  const fields = isRecord(value) ? FIELDS.map((field) => value[field]) : [];
  return new Set(fields.flatMap((field) => Object.keys(isRecord(field) ? field : {})));
}
