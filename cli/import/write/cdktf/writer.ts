/** CDKTF: constructs of `erphost/cdktf`, a file per kind, and `importFrom` for each object. */
import { camel, isRecord, pascal } from "../../../../provider/contract";
import { kinds, type Kind } from "../../../../provider/resources";
import type { Files } from "../../folder";
import type { DeclaredName, TakenObject, Value } from "../../program/model";
import { placeFrom, renderModules, surveyOf, type ModuleLanguage } from "../modules";
import { quotedAs, type Source } from "../source";
import * as typescript from "../typescript";
import { arrayOf, objectOf, quoted, sourceOf } from "../typescript";
import { misfit, nameWithKind, programValue, secretNote, type Writer } from "../writer";

const LIBRARY = "erphost/cdktf";
const { constant, referenceTo } = typescript.constants("erphost", "stack", "app");

export const cdktfWriter: Writer = {
  reads: /\.ts$|^(?:package|tsconfig|cdktf)\.json$/,
  survey: (existing) => {
    assertStack(existing);
    return surveyOf(existing, {
      ...typescript.shapeOf(String.raw`stack,\s*`),
      imported: new RegExp(String.raw`\.importFrom\(\s*${quotedAs("id")}`),
      placeOf: (name, kind) => placeFrom(name).slice(0, -kind.length - 1),
      variableOf: constant,
    });
  },
  render: (program, existing, options) => renderModules(program, existing, options, language),
  next: (existing, { version }) => [
    typescript.installing(existing, { ...PACKAGES, erphost: version }),
    ...wiring(existing),
    ...["npx cdktf-cli get", "npx cdktf-cli diff", "npx cdktf-cli deploy"],
  ],
};

const PACKAGES = { cdktf: "^0.21.0", constructs: "^10.4.2" };

/** What only a person can do: a program that is there loads nothing by itself. */
function wiring(existing: Files): string[] {
  const main = existing.get("main.ts");
  if (main === undefined) return [];
  const names = typescript.namesIn(main);
  return [
    ...(names.has('"./account"') ? [] : ['add to main.ts: import "./account";']),
    ...(names.has('"./stack"')
      ? []
      : ['take the app of main.ts from the one of stack.ts: import { app } from "./stack";']),
  ];
}

/** @throws InvalidInput where the new files could not import what they need */
function assertStack(existing: Files): void {
  const text = existing.get("stack.ts");
  if (text === undefined || /\bexport\b[^;]*\bstack\b/.test(text)) return;
  const remedy = "Export the stack under that name, or use a folder of its own for this program.";
  throw misfit("stack.ts", "exports no `stack`, which the new files import", remedy);
}

const language: ModuleLanguage = {
  ...typescript.modules,
  entry: "account.ts",
  head: () => [`import * as erphost from "${LIBRARY}";`, 'import { stack } from "./stack";'],
  notes: (kind) =>
    guardsOf(kind).flatMap((option) => [
      `Delete the line with reset${pascal(option)} to turn the option on; the next plan shows that as a`,
      "change of the state alone.",
    ]),
  declaration,
  project: ({ version }) => {
    const dependencies = { ...PACKAGES, erphost: `^${version}` };
    const scripts = { synth: "tsc && node main.js" };
    return new Map([
      ["cdktf.json", CDKTF_JSON],
      ["package.json", typescript.packageText("main.ts", dependencies, scripts)],
      ["tsconfig.json", typescript.tsconfigText("main.ts", "")],
      ["main.ts", MAIN],
      ["stack.ts", STACK],
    ]);
  },
};

function declaration({ kind, id, place, values, secrets }: TakenObject): string {
  const name = constant(place.name);
  const members = [...values].map(([field, value]) => member(kind, place, field, value));
  const [first = "", ...more] = objectOf(members);
  const comments = secrets.map((each) => `// ${secretNote(quoted(each), "secretProperties")}`);
  return [
    ...comments,
    `export const ${name} = new erphost.${kind.title}(stack, ${quoted(nameWithKind(kind.name, place))}, ${first}`,
    ...more.slice(0, -1),
    `${more.at(-1) ?? ""});`,
    ...guardsOf(kind).map((option) => `${name}.resource.reset${pascal(option)}();`),
    `${name}.resource.importFrom(${quoted(plainTemplate(id))});`,
  ].join("\n");
}

/** Options that a construct turns on by itself, which would be a change of what is taken over. */
const guardsOf = ({ reading }: Kind): string[] =>
  reading.backupBefore ? [reading.backupBefore.option] : [];

/** An id is given as the construct that has it, under its name. */
function member(
  kind: Kind,
  place: DeclaredName,
  field: string,
  value: Value,
): readonly [string, Source] {
  const target = kinds[kind.fields[field]?.references ?? ""];
  if (target === undefined) {
    const name = camel(field);
    return [name, literal(kind, field, value)];
  }
  const prop = camel(field.replace(/_id$/, ""));
  if (value.is === "reference") return [prop, [referenceTo(kind, value)]];
  // No construct of this program declares it. Its scoped id ends as that of no object does.
  const id = value.is === "literal" ? String(value.value) : "";
  const scoped = quoted(`${nameWithKind(kind.name, place)}-${prop}-ref`);
  const method = `from${pascal(target.name)}Id`;
  return [
    prop,
    [`erphost.${target.title}.${method}(stack, ${scoped}, ${quoted(plainTemplate(id))})`],
  ];
}

function literal(kind: Kind, field: string, value: Value): Source {
  const column = 2 + camel(field).length + 2;
  if (value.is === "list") {
    return arrayOf(
      value.of.map((each) => literal(kind, field, each)),
      column,
    );
  }
  const plain = value.is === "literal" ? programValue(kind, field, value.value) : undefined;
  return sourceOf(programText(plain), column);
}

/** Values with their texts as Terraform reads them from what is synthesised. */
function programText(value: unknown): unknown {
  if (typeof value === "string") return plainTemplate(value);
  if (Array.isArray(value)) return value.map(programText);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [plainTemplate(key), programText(inner)]),
  );
}

/**
 * Terraform reads each text of a synthesised program as a template. A doubled sign is plain text; next
 * to another one it could be read otherwise, so each is an expression. So is a byte order mark, which
 * it takes off the beginning, and the first letter of what CDKTF would take for a value of its own that
 * is not known yet.
 */
const plainTemplate = (text: string): string =>
  text
    .replace(/([$%]+)\{(T(?=fToken\[))?/g, (_, signs: string, token = "") =>
      signs.length === 1 && token === ""
        ? `${signs}${signs}{`
        : `${[...signs].map(asExpression).join("")}{${token}`,
    )
    .replace(/T(?=fToken\[)/g, asExpression)
    .replace(/^\uFEFF/, asExpression);

const asExpression = (letter: string): string =>
  `\${"\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}"}`;

const CDKTF_JSON = `{
  "language": "typescript",
  "app": "npm run -s synth",
  "projectId": "erphost",
  "sendCrashReports": "false"
}
`;

const MAIN = `import { app } from "./stack";
import "./account";

app.synth();
`;

const STACK = `import { App, TerraformStack } from "cdktf";
import { ErphostProvider } from "erphost/cdktf";

export const app = new App();
export const stack = new TerraformStack(app, "erphost");

// The key and the address come from ERPHOST_API_KEY and ERPHOST_BASE_URL.
new ErphostProvider(stack, "provider");
`;
