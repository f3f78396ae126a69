/** Pulumi YAML: one file, in which every resource has a name of its own, whatever its kind. */
import { camel, isRecord } from "../../../../provider/contract";
import { kinds, type Kind } from "../../../../provider/resources";
import type { Files } from "../../folder";
import type { Place, Program, TakenObject, Value } from "../../program/model";
import { sortFreeFields } from "../free-fields";
import { kindNote, secretNote } from "../notes";
import { programValue } from "../program-value";
import { escaped, longEscape } from "../quoted";
import type { SeenImport, Survey, Writer } from "../writer";
import { importFile, isProjectFile, projectText, PROJECT_FILE } from "./project";

/** Where a program is, if it is not in the project's own file. */
const MAIN_FILE = "Main.yaml";

/** `$${` is plain text, and so is `$$`, which means one sign. */
const quoted = (text: string): string =>
  `"${escaped(text.replace(/\$(?=[${])/g, "$$$$"), longEscape)}"`;

/** Resources of all kinds share the names: each ends in its kind. */
const logicalName = (kind: string, { name }: Place): string =>
  `${name}_${kind}`.replaceAll("_", "-");

export const pulumiYamlWriter: Writer = {
  reads: new RegExp(`^${MAIN_FILE.replace(".", "\\.")}$|${isProjectFile.source}`),
  groups: false,
  survey: surveyOf,
  render,
  next: ["pulumi stack init dev", "pulumi preview", "pulumi up"],
};

const fileOf = (existing: Files): string => (existing.has(MAIN_FILE) ? MAIN_FILE : PROJECT_FILE);

function render(program: Program, existing: Files): Files {
  if (program.objects.length === 0) return new Map();
  const file = fileOf(existing);
  const before = existing.get(file) ?? projectText("yaml");
  const noted = new Set<Kind>();
  const blocks = program.objects.map((object) => {
    const isFirst = !noted.has(object.kind);
    noted.add(object.kind);
    const note = isFirst ? kindNote(object.kind, (field) => camel(field)) : [];
    return [...note.map((line) => `# ${line}`), ...resourceLines(object)];
  });
  return new Map([
    [file, withResources(before, blocks.flat())],
    ...importFile(program, existing, ({ kind, place }) => logicalName(kind.name, place)),
  ]);
}

function resourceLines({ kind, id, place, values, secrets }: TakenObject): string[] {
  const { written: own, lost } = sortFreeFields(values, isFunction);
  const properties = [...own].flatMap(([field, value]) =>
    entry(camel(field), written(kind, field, value)),
  );
  return [
    `${logicalName(kind.name, place)}:`,
    `  type: erphost:${kind.title}`,
    ...(properties.length === 0 ? [] : ["  properties:", ...indented(properties, 4)]),
    ...secrets.map((name) => `  # ${secretNote(quoted(name), "secretProperties")}`),
    ...lost.map(
      (name) => `  # ${quoted(name)} is not written: Pulumi YAML has functions with such names.`,
    ),
    "  options:",
    `    import: ${quoted(id)}`,
  ];
}

function written(kind: Kind, field: string, value: Value): string[] {
  switch (value.is) {
    case "literal":
      return lines(programValue(kind, field, value.value));
    case "reference":
      return [`\${${logicalName(value.kind, value.place)}.id}`];
    case "list":
      return [`[${value.of.map((each) => written(kind, field, each).join("")).join(", ")}]`];
  }
}

/** A value as a block, whose first line may follow its key. */
function lines(value: unknown): string[] {
  if (typeof value === "string") return [quoted(value)];
  if (Array.isArray(value) && value.length > 0) {
    return ["", ...value.flatMap((each: unknown) => item(lines(each)))];
  }
  if (isRecord(value) && Object.keys(value).length > 0) {
    return [
      "",
      ...Object.entries(value).flatMap(([key, inner]) => entry(keyOf(key), lines(inner))),
    ];
  }
  return [JSON.stringify(value ?? null)];
}

const entry = (key: string, [first = "", ...more]: readonly string[]): string[] => [
  first === "" ? `${key}:` : `${key}: ${first}`,
  ...indented(more, 2),
];

/** The first member of an object stands behind the dash. */
function item([first = "", ...more]: readonly string[]): string[] {
  const [head = "", ...rest] = first === "" ? more : [first, ...more];
  return [`- ${head}`, ...indented(rest, 2)];
}

const indented = (all: readonly string[], columns: number): string[] =>
  all.map((line) => (line === "" ? "" : `${" ".repeat(columns)}${line}`));

/** Words that YAML reads as something else than text. */
const keyOf = (key: string): string =>
  /^[A-Za-z][\w-]*$/.test(key) && !/^(?:null|true|false|yes|no|on|off|y|n)$/i.test(key)
    ? key
    : quoted(key);

const isFunction = (key: string): boolean => /^fn::/i.test(key);

const SECTION = /^resources:[ \t]*(?<inline>[^#\s][^\n]*)?(?:#[^\n]*)?\n?/m;

/** The text with more resources at the end of its section, indented as those that are there. */
function withResources(text: string, added: readonly string[]): string {
  const found = SECTION.exec(text);
  if (!found) return `${text.trimEnd()}\nresources:\n${indented(added, 2).join("\n")}\n`;
  const begin = found.index + found[0].length;
  const after = text.slice(begin);
  const next = /^[^\s#]/m.exec(after);
  const section = next ? after.slice(0, next.index) : after;
  const indent = /^( +)\S/m.exec(section)?.[1]?.length ?? 2;
  const body = section.trimEnd() === "" ? "" : `${section.trimEnd()}\n`;
  const rest = next ? `\n${after.slice(next.index)}` : "";
  const head = text.slice(0, begin).trimEnd();
  return `${head}\n${body}${indented(added, indent).join("\n")}\n${rest}`;
}

const TYPE = /^type: +"?erphost:(?:index:)?(\w+)"?$/;
const IMPORT = /^import: +"?([^"\s]+)"?$/;

/** What the section declares, by the lines of block style. */
function surveyOf(existing: Files): Survey {
  const declared = new Map<string, Set<string>>();
  const imports: SeenImport[] = [];
  for (const { name, body } of resourcesIn(existing.get(fileOf(existing)) ?? "")) {
    const title = firstMatch(body, TYPE);
    const kind = Object.values(kinds).find((each) => each.title === title);
    if (!kind) continue;
    const suffix = `-${kind.name.replaceAll("_", "-")}`;
    // In quotes, a name is taken and no reference leads to it.
    const place = name.endsWith(suffix)
      ? name.slice(0, -suffix.length).replaceAll("-", "_")
      : `"${name}"`;
    declared.set(kind.name, (declared.get(kind.name) ?? new Set()).add(place));
    const id = firstMatch(body, IMPORT);
    if (id !== undefined) imports.push({ kind: kind.name, id, place: { name: place } });
  }
  return { declared, imports };
}

const firstMatch = (lines: readonly string[], pattern: RegExp): string | undefined =>
  lines.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined);

interface Entry {
  readonly name: string;
  /** Its lines, without indentation. */
  readonly body: string[];
}

function resourcesIn(text: string): Entry[] {
  const found = SECTION.exec(text);
  const entries: Entry[] = [];
  let indent: number | undefined;
  for (const line of found ? text.slice(found.index + found[0].length).split("\n") : []) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const own = line.search(/\S/);
    if (own === 0) break;
    indent ??= own;
    const name = own === indent ? /^"?([\w-]+)"?:/.exec(line.trim())?.[1] : undefined;
    if (name === undefined) entries.at(-1)?.body.push(line.trim());
    else entries.push({ name, body: [] });
  }
  return entries;
}
