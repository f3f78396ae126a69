/** Pulumi YAML: one file, in which every resource has a name of its own, whatever its kind. */
import { Scalar, stringify, type ScalarTag } from "yaml";
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
  const own = [...writable].map(([field, value]) => [camel(field), valueOf(kind, field, value)]);
  const properties = { properties: Object.fromEntries(own) as unknown };
  const block = stringify(properties, joined, { customTags: (tags) => [TEXT, ...tags] });
  return [
    `${nameWithKind(kind.name, place)}:`,
    `  type: erphost:${kind.title}`,
    ...(own.length === 0 ? [] : indented(block.trimEnd().split("\n"), 2)),
    ...secrets.map((name) => `  # ${secretNote(quoted(name), "secretProperties")}`),
    ...lost.map(
      (name) => `  # ${quoted(name)} is not written: Pulumi YAML cannot have such a name.`,
    ),
    "  options:",
    `    import: ${quoted(id)}`,
  ];
}

function valueOf(kind: Kind, field: string, value: Value): unknown {
  if (value.is === "literal") return programValue(kind, field, value.value);
  if (value.is === "list") return value.of.map((each) => valueOf(kind, field, each));
  const expression = new Scalar(`\${${nameWithKind(value.kind, value.place)}.id}`);
  return Object.assign(expression, { type: Scalar.PLAIN });
}

/** Pulumi rewrites a project: a text of lines that begins with a tab becomes what it cannot read. */
const TAB_FIRST = /^(\t+)([^]*\n[^]*)$/;

function joined(_: unknown, value: unknown): unknown {
  const [, tabs, rest] = (typeof value === "string" && TAB_FIRST.exec(value)) || [];
  return tabs === undefined ? value : { "fn::join": ["", [tabs, rest]] };
}

/** Keys that YAML reads as nothing else than text. */
const PLAIN_KEY = /^(?!(?:null|true|false|yes|no|on|off|y|n)$)(?:[a-z][\w-]*|fn::join)$/i;

/** Texts in quotes, but for expressions and such keys. */
const TEXT: ScalarTag = {
  tag: "tag:yaml.org,2002:str",
  default: true,
  identify: (value) => typeof value === "string",
  resolve: (text) => text,
  stringify({ type, value }, { implicitKey }) {
    const text = String(value);
    const isPlain = implicitKey === true ? PLAIN_KEY.test(text) : type === Scalar.PLAIN;
    return isPlain ? text : quoted(text);
  },
};

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
