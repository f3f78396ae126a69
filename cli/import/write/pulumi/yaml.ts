/** Pulumi YAML: one file, in which every resource has a name of its own, whatever its kind. */
import { camel, isRecord } from "../../../../provider/contract";
import { kinds, type Kind } from "../../../../provider/resources";
import type { Files } from "../../folder";
import type { Program, TakenObject, Value } from "../../program/model";
import { escaped, indented, longEscape } from "../source";
import { kindNote, nameWithKind, programValue, secretNote, sortFreeFields } from "../writer";
import type { SeenImport, Survey, WriteOptions, Writer } from "../writer";
import { assertProject, importFile, isProjectFile, projectText, PROJECT_FILE } from "./project";
import { resourcesIn, withResources } from "./yaml-text";

/** Where a program is, if it is not in the project's own file. */
const MAIN_FILE = "Main.yaml";
const RUNTIME = "yaml";

/** `$${` is plain text, and so is `$$`, which means one sign. */
const quoted = (text: string): string =>
  `"${escaped(text.replace(/\$(?=[${])/g, "$$$$"), longEscape)}"`;

export const pulumiYamlWriter: Writer = {
  reads: new RegExp(`^${MAIN_FILE.replace(".", "\\.")}$|${isProjectFile.source}`),
  survey: surveyOf,
  render,
  next: () => ["pulumi stack init dev", "pulumi preview", "pulumi up"],
};

const fileOf = (existing: Files): string => (existing.has(MAIN_FILE) ? MAIN_FILE : PROJECT_FILE);

function render(program: Program, existing: Files, options: WriteOptions): Files {
  const file = fileOf(existing);
  const before = existing.get(file) ?? projectText(RUNTIME, options);
  const noted = new Set<Kind>();
  const blocks = program.objects.map((object) => {
    const isFirst = !noted.has(object.kind);
    noted.add(object.kind);
    const note = isFirst ? kindNote(object.kind, (field) => camel(field)) : [];
    return [...note.map((line) => `# ${line}`), ...resourceLines(object)];
  });
  return new Map([
    [file, withResources(file, before, blocks.flat())],
    ...importFile(program, existing, ({ kind, place }) => nameWithKind(kind.name, place)),
  ]);
}

function resourceLines({ kind, id, place, values, secrets }: TakenObject): string[] {
  const { writable, lost } = sortFreeFields(values, isImpossible);
  const properties = [...writable].flatMap(([field, value]) =>
    entry(camel(field), sourceOfValue(kind, field, value)),
  );
  return [
    `${nameWithKind(kind.name, place)}:`,
    `  type: erphost:${kind.title}`,
    ...(properties.length === 0 ? [] : ["  properties:", ...indented(properties, 4)]),
    ...secrets.map((name) => `  # ${secretNote(quoted(name), "secretProperties")}`),
    ...lost.map(
      (name) => `  # ${quoted(name)} is not written: Pulumi YAML cannot have such a name.`,
    ),
    "  options:",
    `    import: ${quoted(id)}`,
  ];
}

function sourceOfValue(kind: Kind, field: string, value: Value): string[] {
  switch (value.is) {
    case "literal":
      return lines(programValue(kind, field, value.value));
    case "reference":
      return [`\${${nameWithKind(value.kind, value.place)}.id}`];
    case "list":
      return [`[${value.of.map((each) => sourceOfValue(kind, field, each).join("")).join(", ")}]`];
  }
}

/** Pulumi rewrites a project: a text of lines that begins with a tab becomes what it cannot read. */
const TAB_FIRST = /^(\t+)([^]*\n[^]*)$/;

/** A value as a block, whose first line may follow its key. */
function lines(value: unknown): string[] {
  if (typeof value === "string") return text(value);
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

function text(value: string): string[] {
  const [, tabs, rest] = TAB_FIRST.exec(value) ?? [];
  if (tabs === undefined || rest === undefined) return [quoted(value)];
  return ["", "fn::join:", '  - ""', `  - - ${quoted(tabs)}`, `    - ${quoted(rest)}`];
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

/** Words that YAML reads as something else than text. */
const keyOf = (key: string): string =>
  /^[A-Za-z][\w-]*$/.test(key) && !/^(?:null|true|false|yes|no|on|off|y|n)$/i.test(key)
    ? key
    : quoted(key);

/** Functions of Pulumi YAML, and keys that it cannot read. */
const isImpossible = (key: string): boolean => /^fn::/i.test(key) || TAB_FIRST.test(key);
const TYPE = /^erphost:(?:index(?:\/\w+)?:)?(\w+)$/;

function surveyOf(existing: Files): Survey {
  const declared: [kind: string, name: string][] = [];
  const imports: SeenImport[] = [];
  const file = fileOf(existing);
  assertProject(existing, RUNTIME);
  for (const [name, value] of Object.entries(resourcesIn(file, existing.get(file) ?? ""))) {
    const resource = isRecord(value) ? value : {};
    const title = TYPE.exec(String(resource["type"]))?.[1];
    for (const kind of Object.values(kinds)) {
      const isOwn = kind.title === title;
      const suffix = `-${kind.name.replaceAll("_", "-")}`;
      const stem = name.endsWith(suffix) ? name.slice(0, -suffix.length).replaceAll("-", "_") : "";
      const place = isOwn && stem !== "" ? stem : `"${stem || name}"`;
      if (isOwn || stem !== "") declared.push([kind.name, place]);
      const options = resource["options"];
      const id = isRecord(options) ? options["import"] : undefined;
      if (isOwn && typeof id === "string")
        imports.push({ kind: kind.name, id, place: { name: place } });
    }
  }
  return { declared, imports };
}
