/** Pulumi in Python: the plugin's SDK, a module per kind, and an `import_` option for each object. */
import { isRecord } from "../../../../provider/contract";
import { kinds, type Kind } from "../../../../provider/resources";
import type { TakenObject, Value } from "../../program/model";
import { placeFrom, pluralOf, renderModules, surveyOf, type ModuleLanguage } from "../modules";
import { escaped, indented, listOf, longEscape, quotedAs, withComma, type Source } from "../source";
import { secretNote, type Writer, type WriteOptions } from "../writer";
import * as project from "./project";

const SDK = "pulumi_erphost";
const RUNTIME = "\n  name: python\n  options:\n    toolchain: pip\n    virtualenv: venv";
const WIDTH = 88;
const INDENT = 4;

const WORDS = `
  and as assert async await break class continue def del elif else except finally for from global
  if import in is lambda nonlocal not or pass raise return try while with yield`;
const RESERVED = new Set([
  ...WORDS.trim().split(/\s+/),
  ...["erphost", "pulumi", ...Object.values(kinds).map(pluralOf)],
]);

/** The variable of an object. Names have no capital letters, so that True and None are none. */
const variable = (place: string): string => (RESERVED.has(place) ? `${place}_` : place);

const quoted = (text: string): string => `"${escaped(text, longEscape)}"`;

export const pulumiPythonWriter: Writer = {
  reads: new RegExp(`\\.py$|^requirements\\.txt$|${project.isProjectFile.source}`),
  survey: (existing) => {
    project.assertProject(existing, "python");
    return surveyOf(existing, {
      ending: ".py",
      codeOf: (text) => text.replace(/^\s*#.*$/gm, ""),
      named: NAMED,
      declaration: new RegExp(
        String.raw`^(?<variable>\w+)\s*=\s*erphost\.(?<class>\w+)\(\s*${quotedAs("name")}`,
        "gm",
      ),
      imported: new RegExp(String.raw`\bimport_=${quotedAs("id")}`),
      placeOf: placeFrom,
      variableOf: variable,
    });
  },
  render: (program, existing, options) =>
    new Map([
      ...renderModules(program, existing, options, language),
      ...project.importFile(program, existing),
    ]),
  next: (existing, { version }) => [
    ...(!/^\s*pulumi[-_.]erphost\b/im.test(
      existing.get("requirements.txt") ?? requirements({ version }),
    )
      ? [`add pulumi-erphost~=${version} to requirements.txt`]
      : []),
    ...["pulumi install", "pulumi stack init dev", "pulumi preview", "pulumi up"],
  ],
};

const language: ModuleLanguage = {
  fileOf: (kind) => `${pluralOf(kind)}.py`,
  entry: "__main__.py",
  loads: (kind) => `import ${pluralOf(kind)}`,
  head: () => ["import pulumi", `import ${SDK} as erphost`],
  uses: (kind) => `import ${pluralOf(kind)}`,
  comment: "#",
  nameOf: (field) => field,
  namesIn,
  declaration,
  project: (options) =>
    new Map([
      [project.PROJECT_FILE, project.projectText(RUNTIME, options)],
      ["requirements.txt", requirements(options)],
    ]),
};

const requirements = ({ version }: Pick<WriteOptions, "version">): string =>
  `pulumi>=3.142.0,<4.0.0\npulumi-erphost~=${version}\n`;

function declaration(object: TakenObject): string {
  const { kind, id, place, values, secrets } = object;
  const comments = secrets.map((name) => `# ${secretNote(quoted(name), "secret_properties")}`);
  return [
    `${variable(place.name)} = erphost.${kind.title}(`,
    ...indented(
      [
        `${quoted(project.resourceName(object))},`,
        ...[...values].flatMap(([name, value]) => {
          const [first = "", ...more] = sourceOfValue(kind, value, name.length);
          return withComma([`${name}=${first}`, ...more]);
        }),
        ...comments,
        `opts=pulumi.ResourceOptions(import_=${quoted(id)}),`,
      ],
      INDENT,
    ),
    ")",
  ].join("\n");
}

function sourceOfValue(kind: Kind, value: Value, nameLength: number): Source {
  const column = 4 + nameLength + 1;
  switch (value.is) {
    case "literal":
      return sourceOf(value.value, column);
    case "reference": {
      const target = kinds[value.kind];
      const own = variable(value.place.name);
      return [target && target.name !== kind.name ? `${pluralOf(target)}.${own}.id` : `${own}.id`];
    }
    case "list":
      return listAt(
        value.of.map((each) => sourceOfValue(kind, each, nameLength)),
        column,
      );
  }
}

/** A JSON value. Nested members keep the contract's names, which are Python's. */
function sourceOf(value: unknown, column: number): Source {
  if (typeof value === "string") return [quoted(value)];
  if (typeof value === "boolean") return [value ? "True" : "False"];
  if (Array.isArray(value)) {
    const elements = value.map((each: unknown) => sourceOf(each, column + 4));
    return listAt(elements, column);
  }
  if (!isRecord(value)) return [typeof value === "number" ? JSON.stringify(value) : "None"];
  const members = Object.entries(value).flatMap(([key, inner]) => {
    const [first = "", ...more] = sourceOf(inner, column + 4);
    return withComma([`${quoted(key)}: ${first}`, ...more]);
  });
  return members.length === 0 ? ["{}"] : ["{", ...indented(members, INDENT), "}"];
}

const listAt = (elements: readonly Source[], column: number): Source =>
  listOf(elements, INDENT, (line) => column + line.length < WIDTH);

const NAMED = /^(?:def |class )?([A-Za-z_]\w*)(?=\s*[=(:])/gm;
const IMPORT = /^(?:from\s+(?<module>[\w.]+)\s+)?import\s+\(?(?<names>[^#\n)]+)/gm;

/** What the names of a module stand for. */
function namesIn(text: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const [, name = ""] of text.matchAll(NAMED)) names.set(name, "its own");
  for (const { groups = {} } of text.matchAll(IMPORT)) {
    const { module, names: imported = "" } = groups;
    for (const part of imported.split(",")) {
      const [what = "", , name = what] = part.trim().split(/\s+/);
      names.set(name, module === undefined ? what : `${what} of ${module}`);
    }
  }
  return names;
}
