/** Pulumi in TypeScript: the plugin's SDK, a file per kind, and an `import` option for each object. */
import { camel } from "../../../../provider/contract";
import type { Kind } from "../../../../provider/resources";
import type { TakenObject, Value } from "../../program/model";
import { placeFrom, renderModules, surveyOf, type ModuleLanguage } from "../modules";
import type { Source } from "../source";
import * as typescript from "../typescript";
import { arrayOf, callOf, objectOf, quoted, sourceOf } from "../typescript";
import { programValue, secretNote, sortFreeFields, type Writer } from "../writer";
import * as project from "./project";

const SDK = "@erphost/pulumi-native";
const MAIN = "index.ts";
const { constant, referenceTo } = typescript.constants("erphost", "pulumi");

export const pulumiTypescriptWriter: Writer = {
  reads: new RegExp(`\\.ts$|^(?:package|tsconfig)\\.json$|${project.isProjectFile.source}`),
  survey: (existing) => {
    project.assertProject(existing, "nodejs");
    return surveyOf(existing, {
      ...typescript.shapeOf(""),
      imported: { exec: typescript.importIn },
      placeOf: placeFrom,
      variableOf: constant,
    });
  },
  render: (program, existing, options) =>
    new Map([
      ...renderModules(program, existing, options, language),
      ...project.importFile(program, existing),
    ]),
  next: (existing, { version }) => [
    typescript.installing(existing, { [SDK]: version }),
    ...["pulumi stack init dev", "pulumi preview", "pulumi up"],
  ],
};

const language: ModuleLanguage = {
  ...typescript.modules,
  entry: MAIN,
  head: () => [`import * as erphost from "${SDK}";`],
  declaration,
  project: (options) => {
    const dependencies = { [SDK]: `^${options.version}`, "@pulumi/pulumi": "^3.142.0" };
    return new Map([
      [project.PROJECT_FILE, project.projectText("nodejs", options)],
      ["package.json", typescript.packageText(MAIN, dependencies)],
      ["tsconfig.json", typescript.tsconfigText(MAIN, ',\n    "noEmit": true')],
    ]);
  },
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
    [[quoted(project.resourceName(object))], objectOf(members), [`{ import: ${quoted(id)} }`]],
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
