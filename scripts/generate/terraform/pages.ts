/** `docs/` in the layout of the registries: resources, data sources, functions and the provider. */
import { providerArguments } from "../../../provider/terraform/config";
import {
  providerFunctions,
  type ProviderFunction,
} from "../../../provider/terraform/schema/functions";
import { dataSources, ephemeralResources } from "../../../provider/terraform/schema/lookups";
import {
  resourceTypes,
  type Attribute,
  type ResourceModel,
} from "../../../provider/terraform/schema/model";
import { TIMEOUTS } from "../../../provider/terraform/names";
import { renderResource } from "../../../provider/terraform/schema/render";
import { bullets, code, fenced, header, page } from "../markdown";
import type { Generated } from "../files";
import { dataExample, resourceExample } from "./examples";
import { hclBlock } from "./hcl";

const FROM = "provider/contract/, provider/resources/ and provider/terraform/";

export const terraformDocs = (): Generated => ({
  "docs/index.md": providerPage(),
  ...pages("resources", resourceTypes(), resourcePage),
  ...pages("data-sources", dataSources(), (source) =>
    page(
      front(source.typeName, source.doc),
      header(FROM),
      `# ${source.typeName} (data source)`,
      source.doc,
      "## Example",
      fenced("terraform", dataExample(source)),
      attributesText(source.attributes),
    ),
  ),
  ...pages("ephemeral-resources", ephemeralResources(), (source) =>
    page(
      front(source.typeName, source.doc),
      header(FROM),
      `# ${source.typeName} (ephemeral resource)`,
      `${source.doc} It reads, and makes nothing; what it answers reaches no plan and no state.`,
      "## Example",
      fenced("terraform", hclBlock(`ephemeral "${source.typeName}" "example"`, {})),
      attributesText(source.attributes),
    ),
  ),
  ...pages("functions", providerFunctions, functionPage),
});

/** File names go without the provider's name. */
const pages = <T>(
  folder: string,
  from: ReadonlyMap<string, T>,
  render: (each: T) => string,
): Generated =>
  Object.fromEntries(
    [...from].map(([name, each]) => [
      `docs/${folder}/${name.replace(/^erphost_/, "")}.md`,
      render(each),
    ]),
  );

const front = (title: string, description: string): string =>
  [
    "---",
    `page_title: ${JSON.stringify(title)}`,
    `description: ${JSON.stringify(description)}`,
    "---",
  ].join("\n");

function resourcePage(model: ResourceModel): string {
  const { kind, typeName } = model;
  return page(
    front(typeName, kind.doc),
    header(FROM),
    `# ${typeName} (resource)`,
    kind.doc,
    "## Example",
    fenced("terraform", resourceExample(kind)),
    attributesText(model.attributes),
    timeoutsText(model),
    kind.resource === undefined
      ? "## Import\n\nThis declares rotations and is no object of the service, so it can't be imported."
      : importText(model),
  );
}

function timeoutsText(model: ResourceModel): string {
  const block = renderResource(model).block.block_types?.[0];
  if (!block) return "";
  const lines = block.block.attributes.map(
    ({ name, description }) => `${code(name)} (String) ${description ?? ""}`,
  );
  return `### Block ${code(TIMEOUTS)}\n\n${bullets(lines)}`;
}

const importText = ({ typeName, kind }: ResourceModel): string =>
  page(
    "## Import",
    "name" in kind.fields
      ? "By id, or by name where that is not ambiguous; an ambiguous one is refused with the ids:"
      : "By id:",
    fenced(
      "terraform",
      `import {\n  to = ${typeName}.example\n  id = "${"name" in kind.fields ? "name=example" : "ID"}"\n}`,
    ),
    fenced("sh", `terraform import ${typeName}.example ID`),
    ...("properties" in kind.fields
      ? [
          "`plan -generate-config-out=FILE` writes the resource for it. Free fields come into `properties`, all but those whose name, or a name inside, speaks of a secret (a password, token, key or the like): no program has said yet that they are sensitive. Give them in `secret_properties` or `secret_properties_wo`.",
        ]
      : []),
  ).trimEnd();

const groups = [
  { title: "Required", has: ["required"] },
  { title: "Optional", has: ["optional", "optional-computed"] },
  { title: "Read-only", has: ["computed"] },
] as const;

function attributesText(attributes: readonly Attribute[]): string {
  const parts = groups.flatMap(({ title, has }) => {
    const modes: readonly string[] = has;
    const found = attributes.filter(({ mode }) => modes.includes(mode));
    return found.length === 0 ? [] : [`### ${title}\n\n${bullets(found.map(attributeLine))}`];
  });
  return ["## Schema", ...parts].join("\n\n");
}

function attributeLine({ name, type, doc, nested, sensitive, writeOnly }: Attribute): string {
  const marks = [
    nested
      ? `${capital(nested.nesting)} of objects`.replace("Single of objects", "Object")
      : typeText(type),
    ...(sensitive ? ["sensitive"] : []),
    ...(writeOnly ? ["write-only"] : []),
  ];
  const inner = (nested?.attributes ?? []).map((each) => `\n  - ${attributeLine(each)}`);
  return `${code(name)} (${marks.join(", ")}) ${doc}${inner.join("")}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function typeText(type: Attribute["type"]): string {
  if (type === "dynamic") return "Any";
  if (typeof type === "string") return type === "bool" ? "Boolean" : capital(type);
  const inner = type[0] === "list" || type[0] === "set" || type[0] === "map" ? type[1] : undefined;
  return inner === undefined
    ? "Object"
    : `${capital(type[0])} of ${typeText(inner).toLowerCase()}s`;
}

const functionPage = (definition: ProviderFunction): string =>
  page(
    front(definition.name, definition.summary),
    header(FROM),
    `# ${definition.name} (function)`,
    definition.doc,
    "## Example",
    fenced(
      "terraform",
      `output "example" {\n  value = provider::erphost::${definition.name}(${JSON.stringify(definition.example.argument)})\n}`,
    ),
    `It comes to ${code(definition.example.result)}.`,
    `## Argument`,
    bullets([`${code(definition.parameter.name)} (String) ${definition.parameter.doc}`]),
  );

const providerPage = (): string =>
  page(
    front(
      "Provider: erphost",
      "Servers, instances, backups, teams and API keys of a hosted ERP service.",
    ),
    header(FROM),
    "# erphost provider",
    "Servers, instances, backups, teams and API keys of a hosted ERP service, for Terraform 1.11 and OpenTofu 1.11 or later.",
    "Reading costs pages and not objects: a plan of 1,000 servers takes about 10 calls. Every create carries an idempotency key that outlives a crash, so an interrupted run makes nothing twice. Secrets are sensitive attributes, which is not encryption: whoever reads the state reads them. Write-only attributes and `recipient` keep them out of it.",
    "A saved plan (`plan -out=FILE`) holds what the state holds, sensitive values in plain text included: keep it as safe, and delete it when it was applied. What a plan prints and what `TF_LOG` writes has none.",
    "Each workspace and each backend of a folder is apart: a run takes up what an interrupted one created in the same folder, backend and workspace alone. States that only `-state` tells apart are not: give their objects tokens of their own.",
    "An engine that is killed outright may lose what it was told since it last wrote its state, which may be 20 seconds. The next run finds objects with an `idempotency_token` again; where the engine was killed at its very end, it does so for ten minutes and for unchanged declarations, and refuses a changed or, for a day, a later one with the id to import. Of others it says that one of that name exists, and how to import it.",
    "## Example",
    fenced(
      "terraform",
      `terraform {
  required_providers {
    erphost = {
      source = "erphost/erphost"
    }
  }
}

# The key and the address come from ERPHOST_API_KEY and ERPHOST_BASE_URL.
provider "erphost" {}`,
    ),
    attributesText(providerArguments),
  );
