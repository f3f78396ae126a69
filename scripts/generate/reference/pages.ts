/** `docs/reference/`: a page per kind, one for all lookups, and an index. */
import { authTestSchema, camel, pascal, type Resource } from "../../../provider/contract";
import { noun } from "../../../provider/messages";
import { kinds, lookups, selectorsOf } from "../../../provider/resources";
import { exampleProgram, exampleSelection } from "./example";
import { bullets, code, fenced, header, page, table } from "../markdown";
import { jsonSchema, typeText } from "../types";
import { kindPage, pageOf } from "./kind";
import type { Generated } from "../files";

const FOLDER = "docs/reference";

/** By path, as they are written. */
export const referenceDocs = (): Generated => ({
  ...Object.fromEntries(
    Object.values(kinds).map((kind) => [
      `${FOLDER}/${pageOf(kind)}`,
      kindPage(kind, exampleProgram(kind)),
    ]),
  ),
  [`${FOLDER}/lookups.md`]: lookupPage(),
  [`${FOLDER}/index.md`]: index(),
});

const index = (): string =>
  page(
    header("provider/contract/ and provider/resources/"),
    "# Reference",
    "What a program can declare:",
    table(
      ["Kind", "Pulumi", "Meaning"],
      Object.values(kinds).map((kind) => [
        `[${kind.title}](${pageOf(kind)})`,
        code(`erphost:index:${kind.title}`),
        kind.doc,
      ]),
    ),
    "What a program can look up is in [Lookups](lookups.md). What the service says about each of these is in [the contract](contract.md).",
  );

/** With which programs read objects without managing them. */
const lookupPage = (): string =>
  page(
    header("provider/contract/"),
    "# Lookups",
    "Every list of the service can be looked up: all its records that match every argument, newest first, or the one record that does. If several match, a lookup of one record fails and says which they are and what would tell them apart, unless `mostRecent` is true. Lookups of a run share what was read of a list. [Finding what exists](../guides/finding.md) has examples for every engine.",
    ...lookups.flatMap(section),
    "## The key in use",
    "What the API key in use is and what it may do; never the key itself.",
    fenced("ts", 'import { getAuth } from "erphost/pulumi";\n\nexport const auth = getAuth();'),
    table(
      ["Result"],
      Object.keys(jsonSchema(authTestSchema).properties ?? {}).map((name) => [code(camel(name))]),
    ),
  );

function section(resource: Resource): string[] {
  const many = `get${pascal(resource.plural)}`;
  const one = `get${pascal(resource.name)}`;
  return [
    `## ${pascal(resource.plural)}`,
    resource.doc,
    fenced("ts", program(resource, many, one)),
    table(["Selects by", "In", "Meaning"], selectorRows(resource, one, many)),
    table(
      ["Result", "In the contract", "Type", "Meaning"],
      Object.entries(resource.fields).map(([name, field]) => [
        code(camel(name)),
        code(name),
        typeText(field.schema),
        field.doc,
      ]),
    ),
    bullets([
      `\`properties\` contains everything else that the service returns for one of the ${noun(resource.plural)}.`,
    ]),
  ];
}

/** Every selector, with the lookups that take it. */
function selectorRows(resource: Resource, one: string, many: string): string[][] {
  const inOne = selectorsOf(resource, "one");
  const inMany = selectorsOf(resource, "many");
  const names = new Map([...inOne, ...inMany].map((selector) => [selector.name, selector]));
  const has = (selectors: typeof inOne, name: string) =>
    selectors.some((each) => each.name === name);
  return [...names.values()].map(({ name, doc, sent }) => {
    const takers = [...(has(inOne, name) ? [one] : []), ...(has(inMany, name) ? [many] : [])];
    const where = takers.length === 2 ? "both" : code(takers.join());
    return [code(camel(name)), where, sent ? `${doc} The service narrows its list by it.` : doc];
  });
}

function program(resource: Resource, many: string, one: string): string {
  const selection = Object.entries(exampleSelection(resource)).map(
    ([name, value]) => `${camel(name)}: ${JSON.stringify(value)}`,
  );
  return [
    `import { ${one}, ${many} } from "erphost/pulumi";`,
    "",
    `export const newest = ${many}({ createdAfter: "2026-01-01", limit: 10 });`,
    `export const one = ${one}({ ${selection.join(", ")} });`,
  ].join("\n");
}
