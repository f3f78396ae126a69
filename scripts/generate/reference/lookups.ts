/** The page of the lookups, with which programs read objects without managing them. */
import {
  authTestSchema,
  camel,
  listFiltersOf,
  pascal,
  type Resource,
} from "../../../provider/contract";
import { noun } from "../../../provider/messages";
import { bullets, code, fenced, header, page, table } from "../markdown";
import { jsonSchema, typeText } from "../types";

export const lookupPage = (lookups: readonly Resource[]): string =>
  page(
    header("provider/contract/"),
    "# Lookups",
    "Every list of the service can be looked up: all its records that match the filters, or one record by id or by name. All lookups of a run share what was read of a list.",
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
  const filters = listFiltersOf(resource);
  return [
    `## ${pascal(resource.plural)}`,
    resource.doc,
    fenced("ts", program(resource, many, one)),
    ...(filters.length === 0
      ? [`\`${many}\` takes no filter.`]
      : [
          table(
            [`Filter of ${many}`, "Meaning"],
            filters.map(({ name, doc }) => [code(camel(name)), doc]),
          ),
        ]),
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

function program(resource: Resource, many: string, one: string): string {
  const [filter] = listFiltersOf(resource);
  const value = filter?.field?.example ?? (filter?.field ? "running" : "2026-01-01");
  const argument = filter ? `{ ${camel(filter.name)}: ${JSON.stringify(value)} }` : "";
  const by = `{ id: ${JSON.stringify(`${resource.idPrefix}_1`)} }`;
  return `import { ${one}, ${many} } from "erphost/pulumi";\n\nexport const all = ${many}(${argument});\nexport const one = ${one}(${by});`;
}
