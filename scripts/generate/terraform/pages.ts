/** `docs/` in the layout of the registries: resources, data sources, functions and the provider. */
import { providerArguments } from "../../../provider/terraform/config";
import { providerFunctions } from "../../../provider/terraform/schema/functions";
import type { ProviderFunction } from "../../../provider/terraform/schema/functions";
import { actions } from "../../../provider/terraform/schema/actions";
import { dataSources, ephemeralResources } from "../../../provider/terraform/schema/lookups";
import { listResources } from "../../../provider/terraform/schema/lookups";
import type { ListModel } from "../../../provider/terraform/schema/lookups";
import { resourceTypes } from "../../../provider/terraform/schema/model";
import type { Attribute, ResourceModel } from "../../../provider/terraform/schema/model";
import { resources as definitions, type Resource } from "../../../provider/contract";
import { capital } from "../../../provider/messages";
import { TIMEOUTS } from "../../../provider/terraform/names";
import { renderResource } from "../../../provider/terraform/schema/render";
import { bullets, code, fenced, header, page } from "../markdown";
import type { Generated } from "../files";
import { dataExample, hclBlock, resourceExample } from "./examples";

/** A page for each resource, data source, ephemeral resource, list, action and function. */
export const terraformDocs = (): Generated => ({
  "docs/index.md": providerPage(),
  ...pages("resources", resourceTypes(), resourcePage),
  ...pages("data-sources", dataSources(), (source) =>
    page(
      ...head("data source", source.typeName, source.doc),
      source.doc,
      "## Example",
      fenced("terraform", dataExample(source)),
      attributesText(source.attributes),
    ),
  ),
  ...pages("ephemeral-resources", ephemeralResources(), (source) =>
    page(
      ...head("ephemeral resource", source.typeName, source.doc),
      `${source.doc} It only reads, and its result is stored in no plan and no state.`,
      "## Example",
      fenced("terraform", hclBlock(`ephemeral "${source.typeName}" "example"`, {})),
      attributesText(source.attributes),
    ),
  ),
  ...pages("functions", providerFunctions, functionPage),
  ...newerPages(),
});

function resourcePage(model: ResourceModel): string {
  const { kind, typeName } = model;
  return page(
    ...head("resource", typeName, kind.doc),
    kind.doc,
    "## Example",
    fenced("terraform", resourceExample(kind)),
    attributesText(model.attributes),
    timeoutsText(model),
    destroyText(model),
    kind.resource === undefined
      ? "## Import\n\nThis is a declaration, not an object in the service, so it cannot be imported. Its identity in the state is the `key_id`."
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

/** Only where a destroy is not what its reader would expect. */
function destroyText({ kind }: ResourceModel): string {
  if (kind.resource === undefined) {
    return "## Destroy\n\nDestroying this declaration changes nothing in the service.";
  }
  const resource: Resource = definitions[kind.resource];
  if (resource.operations.delete !== undefined) return "";
  return "## Destroy\n\nThe service cannot delete it. A destroy or a replacement takes it out of the state, leaves it in the service, and warns with its id.";
}

const importText = ({ typeName, kind }: ResourceModel): string =>
  page(
    "## Import",
    "name" in kind.fields
      ? "By id, or by name if the name is unique; a name that several objects have is refused, with their ids:"
      : "By id:",
    fenced(
      "terraform",
      `import {\n  to = ${typeName}.example\n  id = "${"name" in kind.fields ? "name=example" : "ID"}"\n}`,
    ),
    fenced("sh", `terraform import ${typeName}.example ID`),
    "By identity, with Terraform 1.12 or OpenTofu 1.12 and later:",
    fenced(
      "terraform",
      `import {\n  to = ${typeName}.example\n  identity = {\n    id = "${definitions[kind.resource ?? "server"].idPrefix}_1"\n  }\n}`,
    ),
    ...("properties" in kind.fields
      ? [
          "`plan -generate-config-out=FILE` writes the resource: with Terraform 1.14 and later without free fields, because some are the service's own, as [`erphost import`](../guides/import.md) does. Older ones and OpenTofu write them to `properties`, except those that look like a secret, by a name in them (a password, token, key or the like) or by a text: nothing has declared them sensitive yet. Set them in `secret_properties` or `secret_properties_wo`. For a whole account, `erphost import` writes resources and blocks.",
        ]
      : []),
  ).trimEnd();

const functionPage = (definition: ProviderFunction): string =>
  page(
    ...head("function", definition.name, definition.summary),
    definition.doc,
    "## Example",
    fenced(
      "terraform",
      `output "example" {\n  value = provider::erphost::${definition.name}(${JSON.stringify(definition.example.argument)})\n}`,
    ),
    `The result is ${code(definition.example.result)}.`,
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
    "Servers, instances, backups, teams and API keys of a hosted ERP service, for Terraform 1.11 and OpenTofu 1.11 or later; [versions](guides/versions.md) says what newer ones add.",
    "Objects are read by the page: a plan of 1,000 servers takes about 10 calls. Every create carries an idempotency key that survives a crash, so an interrupted run creates nothing twice. Secrets are sensitive attributes, which are not encrypted: everyone who can read the state can read them. Write-only attributes and `recipient` keep them out of it.",
    "A saved plan (`plan -out=FILE`) contains what the state contains, including sensitive values in plain text: protect it like the state, and delete it once it is applied. The output of a plan and of `TF_LOG` contains none.",
    "Each workspace and each backend of a folder is separate: a run recovers what an interrupted run created only in the same folder, backend and workspace. States that differ only by `-state` are not separate: give their objects different tokens.",
    "An engine that is killed may lose everything since it last wrote its state, up to 20 seconds. The next run follows the [intents](guides/pipelines.md#a-pipeline-of-your-own) of what was created, and takes it over. If the engine was killed at its very end, after the provider had exited, that needs an `idempotency_token`, and works for ten minutes and for unchanged declarations; a changed one, or a later one within a day, is refused with the id to import. For an object without a token the plan then reports that one of that name exists, and how to import it.",
    '`deletion_protection` is kept in the state alone. A plan that would delete or replace a protected object fails, also where `-replace` or `replace_triggered_by` forces it. Only two objects are refused as late as their delete: a tainted one, which `untaint` keeps, and what is left deposed after that. The message names the id; `allow_delete = ["srv_55"]` in the provider block, or `ERPHOST_ALLOW_DELETE=srv_55`, lets that one go in the next run.',
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

/** What Terraform 1.14 brought: list resources and actions. */
const newerPages = (): Generated => ({
  ...pages("list-resources", listResources(), (list, typeName) =>
    page(
      ...head("list resource", typeName, list.doc),
      `${list.doc} Terraform 1.14 and later, with \`terraform query\`; OpenTofu has none.`,
      "## Example",
      "In a file that ends in `.tfquery.hcl`:",
      fenced("terraform", listExample(list, typeName)),
      "The engine asks for 100 results unless `limit` says otherwise; that there are more is a warning with the last one. 1,000 results take 10 calls. `include_resource = true` adds the whole object, never a secret. `terraform query -generate-config-out=FILE` writes resources and import blocks.",
      attributesText(list.attributes),
    ),
  ),
  ...pages("actions", actions(), ({ doc, attributes }, typeName) =>
    page(
      ...head("action", typeName, doc),
      `${doc} Terraform 1.14 and later; OpenTofu has no actions.`,
      "## Example",
      fenced("terraform", ACTION),
      "The action names the instance because Terraform refuses, as a cycle, an action that is triggered `before_update` and refers to the very resource that triggers it.",
      "`terraform apply -invoke=action.erphost_backup.before` takes a backup now. Each invocation takes one of its own.",
      "## Which backup to use",
      "A trigger takes a backup at every update of its resource, and never at a replacement, which destroys more. `backup_before_upgrade = true` takes one where `version` changes and at no other time, on every engine: it is the better one for upgrades. A program may have both, and then takes two.",
      "## When a run is cut off",
      "Before anything is sent, the folder of [intents](../guides/pipelines.md#a-pipeline-of-your-own) says that a backup is being taken. A run within an hour of one that was killed takes that backup over. Without the folder there is one more backup, never one fewer, unless `purpose` and [`scope`](../guides/pipelines.md#continue-on-any-machine) are set: then a run on any machine finds it. An interruption (ctrl-C) ends the wait alone: the backup continues, and the next invocation takes another one, unless both are set.",
      attributesText(attributes),
    ),
  ),
});

function listExample({ attributes }: ListModel, typeName: string): string {
  const first = attributes.find(({ name }) => name === "status" || name === "created_after");
  const config = first
    ? `\n  config {\n    ${first.name} = "${first.name === "status" ? "running" : "2026-01-01"}"\n  }\n`
    : "";
  return `list "${typeName}" "all" {\n  provider = erphost\n  limit    = 1000\n${config}}`;
}

const ACTION = `resource "erphost_server" "main" {
  name = "erp-main"
}

resource "erphost_instance" "erp" {
  name      = "erp"
  server_id = erphost_server.main.id
  version   = "18.0"

  lifecycle {
    action_trigger {
      events  = [before_update]
      actions = [action.erphost_backup.before]
    }
  }
}

action "erphost_backup" "before" {
  config {
    instance = "erp"
  }
}`;

/** What they are made of. */
const FROM = "provider/contract/, provider/resources/ and provider/terraform/";

/** File names do not contain the provider's name. */
const pages = <T>(
  folder: string,
  from: ReadonlyMap<string, T>,
  render: (each: T, name: string) => string,
): Generated =>
  Object.fromEntries(
    [...from].map(([name, each]) => [
      `docs/${folder}/${name.replace(/^erphost_/, "")}.md`,
      render(each, name),
    ]),
  );

/** The head that the registries read. */
const front = (title: string, description: string): string =>
  `---\npage_title: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(description)}\n---`;

/** How a page about something of the provider begins. @param what `data source` */
const head = (what: string, name: string, doc: string): readonly string[] => [
  ...[front(name, doc), header(FROM), `# ${name} (${what})`],
];

const groups = [
  { title: "Required", has: ["required"] },
  { title: "Optional", has: ["optional", "optional-computed"] },
  { title: "Read-only", has: ["computed"] },
] as const;

/** Every attribute, by whether a program gives it. */
function attributesText(attributes: readonly Attribute[]): string {
  const parts = groups.flatMap(({ title, has }) => {
    const modes: readonly string[] = has;
    const found = attributes.filter(({ mode }) => modes.includes(mode));
    return found.length === 0
      ? []
      : [`### ${title}\n\n${bullets(found.map((each) => attributeLine(each)))}`];
  });
  return ["## Schema", ...parts].join("\n\n");
}

function attributeLine(
  { name, type, mode, doc, nested, sensitive, writeOnly }: Attribute,
  isInner = false,
): string {
  const marks = [
    ...(isInner && mode === "required" ? ["required"] : []),
    nested
      ? `${capital(nested.nesting)} of objects`.replace("Single of objects", "Object")
      : typeText(type),
    ...(sensitive ? ["sensitive"] : []),
    ...(writeOnly ? ["write-only"] : []),
  ];
  const inner = (nested?.attributes ?? []).map((each) => `\n  - ${attributeLine(each, true)}`);
  return `${code(name)} (${marks.join(", ")}) ${doc}${inner.join("")}`;
}

function typeText(type: Attribute["type"]): string {
  if (type === "dynamic") return "Any";
  if (typeof type === "string") return type === "bool" ? "Boolean" : capital(type);
  const inner = type[0] === "list" || type[0] === "set" || type[0] === "map" ? type[1] : undefined;
  return inner === undefined
    ? "Object"
    : `${capital(type[0])} of ${typeText(inner).toLowerCase()}s`;
}
