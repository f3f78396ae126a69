/** Pulumi in TypeScript: the plugin's SDK, a file per kind, and an `import` option for each object. */
import { camel } from "../../../../provider/contract";
import { kinds, type Kind } from "../../../../provider/resources";
import type { TakenObject, Value } from "../../program/model";
import { pluralOf, renderModules, type ModuleLanguage } from "../modules";
import type { Source } from "../source";
import { arrayOf, callOf, constantOf, objectOf, quoted, sourceOf } from "../typescript/source";
import { installing, namesIn, placeFrom, surveyOf } from "../typescript/survey";
import { secretNote, sortFreeFields } from "../unwritten";
import { programValue, type Writer, type WriteOptions } from "../writer";
import {
  assertProject,
  importFile,
  isProjectFile,
  projectText,
  PROJECT_FILE,
  resourceName,
} from "./project";

const SDK = "@erphost/pulumi-native";

const moduleOf = (kind: Kind): string => camel(pluralOf(kind));
const fileOf = (kind: Kind): string => `${pluralOf(kind).replaceAll("_", "-")}.ts`;

/** What the files themselves name. */
const ownNames = new Set(["erphost", "pulumi", ...Object.values(kinds).map(moduleOf)]);
const constant = (place: string): string => constantOf(place, ownNames);

export const pulumiTypescriptWriter: Writer = {
  reads: new RegExp(`\\.ts$|^(?:package|tsconfig)\\.json$|${isProjectFile.source}`),
  groups: false,
  survey: (existing) => {
    assertProject(existing, "nodejs");
    return surveyOf(existing, {
      declaration: /new erphost\.(?<class>\w+)\(\s*"(?<name>(?:[^"\\]|\\.)*)"/g,
      imported: /\bimport:\s*"(?<id>(?:[^"\\]|\\.)*)"/,
      placeOf: placeFrom,
      constantOf: constant,
    });
  },
  render: (program, existing, options) =>
    program.objects.length === 0
      ? new Map()
      : new Map([
          ...renderModules(program, existing, options, language),
          ...importFile(program, existing, resourceName),
        ]),
  next: (existing, { version }) => [
    installing(existing, { [SDK]: version }),
    ...["pulumi stack init dev", "pulumi preview", "pulumi up"],
  ],
};

const language: ModuleLanguage = {
  fileOf,
  entry: "index.ts",
  loads: (kind) => `import "./${fileOf(kind).replace(/\.ts$/, "")}";`,
  head: () => [`import * as erphost from "${SDK}";`],
  uses: (kind) => `import * as ${moduleOf(kind)} from "./${fileOf(kind).replace(/\.ts$/, "")}";`,
  comment: "//",
  nameOf: (field) => `\`${camel(field)}\``,
  gap: "\n\n",
  namesIn,
  declaration,
  project: (options) =>
    new Map([
      [PROJECT_FILE, projectText("nodejs")],
      ["package.json", packageText(options)],
      ["tsconfig.json", TSCONFIG],
    ]),
};

function declaration(object: TakenObject): string {
  const { kind, id, place, values, secrets } = object;
  const { writable, lost } = sortFreeFields(values, (key) => key === "__proto__");
  const members = [...writable].map(
    ([field, value]) => [camel(field), sourceOfValue(kind, field, value)] as const,
  );
  const comments = [
    ...secrets.map((name) => `// ${secretNote(quoted(name), "secretProperties")}`),
    ...lost.map(
      (name) => `// ${quoted(name)} is not written: Pulumi loses what is named __proto__.`,
    ),
  ];
  return callOf(
    `export const ${constant(place.name)} = new erphost.${kind.title}`,
    [[quoted(resourceName(object))], objectOf(members), [`{ import: ${quoted(id)} }`]],
    comments,
  );
}

function sourceOfValue(kind: Kind, field: string, value: Value): Source {
  // Two levels of two columns, the name, a colon and a space.
  const column = 4 + camel(field).length + 2;
  switch (value.is) {
    case "literal":
      return sourceOf(programValue(kind, field, value.value), column);
    case "reference":
      return [`${referenceTo(kind, value)}.id`];
    case "list":
      return arrayOf(
        value.of.map((each) => sourceOfValue(kind, field, each)),
        column,
      );
  }
}

function referenceTo({ name }: Kind, value: Extract<Value, { is: "reference" }>): string {
  const target = kinds[value.kind];
  const expression = constant(value.place.name);
  return target && target.name !== name ? `${moduleOf(target)}.${expression}` : expression;
}

const packageText = ({ version }: WriteOptions): string =>
  `${JSON.stringify(
    {
      name: "erphost-account",
      private: true,
      main: "index.ts",
      dependencies: { [SDK]: `^${version}`, "@pulumi/pulumi": "^3.142.0" },
      devDependencies: { "@types/node": "^24.0.0", typescript: "^5.0.0" },
    },
    null,
    2,
  )}\n`;

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2022",
    "module": "nodenext",
    "moduleResolution": "nodenext",
    "esModuleInterop": true,
    "strict": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "files": ["index.ts"]
}
`;
