/** Terraform and OpenTofu: resources in a file per kind, `import` blocks in a file to be deleted later. */
import { resources } from "../../../../provider/contract";
import type { Kind } from "../../../../provider/resources";
import type { Files } from "../../folder";
import type { Place, Program, TakenObject, Value } from "../../program/model";
import { appended, type Writer, type WriteOptions } from "../writer";
import { attributeLines, block, expressionOf, listOf, quoted, type Expression } from "./hcl";
import { surveyOf } from "./survey";

const IMPORTS = "imports.tf";
const IMPORTS_NOTE = "# Takes over what exists already. After the apply, this file can be deleted.";
const PROVIDER_FILE = "versions.tf";

export const terraformWriter: Writer = {
  reads: /\.(?:tf|tofu)$/,
  survey: surveyOf,
  render,
  next: ["terraform init", "terraform plan", "terraform apply"],
};

function render(program: Program, existing: Files, options: WriteOptions): Files {
  const files = new Map<string, string>();
  if (program.objects.length === 0) return files;
  if (existing.size === 0) files.set(PROVIDER_FILE, providerText(options.version));
  const add = (file: string, text: string, note?: string): void => {
    const before = files.get(file) ?? existing.get(file);
    const head = before === undefined && note !== undefined ? `${note}\n\n` : "";
    files.set(file, appended(before, `${head}${text}\n`));
  };
  for (const [kind, objects] of byKind(program.objects)) {
    add(fileOf(kind), objects.map(resourceText).join("\n\n"), kindNote(kind));
  }
  add(IMPORTS, program.objects.map(importText).join("\n\n"), IMPORTS_NOTE);
  return files;
}

function byKind(objects: readonly TakenObject[]): Map<Kind, TakenObject[]> {
  const kinds = new Map<Kind, TakenObject[]>();
  for (const object of objects) {
    const known = kinds.get(object.kind);
    if (known) known.push(object);
    else kinds.set(object.kind, [object]);
  }
  return kinds;
}

/** `servers.tf` */
const fileOf = ({ name, resource }: Kind): string =>
  `${resource === undefined ? name : resources[resource].plural}.tf`;

/** What cannot be had of any object of a kind. */
function kindNote({ fields, reading }: Kind): string | undefined {
  const secret = Object.keys(fields).find(
    (name) => fields[name]?.secret === true && fields[name].use === "output",
  );
  if (secret === undefined || reading.rotates !== "own-key") return undefined;
  return [
    `# The service shows a secret once, so \`${secret}\` is empty after an import. A change of \`triggers\``,
    "# rotates the key; its new secret is then known.",
  ].join("\n");
}

const addressOf = (kind: string, { name, key }: Place): string =>
  `erphost_${kind}.${name}${key === undefined ? "" : `[${quoted(key)}]`}`;

function resourceText({ kind, place, values, secrets }: TakenObject): string {
  const attributes = [...values].map(([name, value]) => [name, written(value)] as const);
  return block(`resource "erphost_${kind.name}" "${place.name}"`, [
    ...attributeLines(attributes),
    ...secrets.map((name) => secretNote(name)),
  ]);
}

const secretNote = (name: string): string =>
  `# ${quoted(name)} may be a secret, so it is not written: give it in secret_properties to manage it.`;

const importText = ({ kind, id, place }: TakenObject): string =>
  block(
    "import",
    attributeLines([
      ["to", [addressOf(kind.name, place)]],
      ["id", [quoted(id)]],
    ]),
  );

function written(value: Value): Expression {
  switch (value.is) {
    case "literal":
      return expressionOf(value.value);
    case "reference":
      return [`${addressOf(value.kind, value.place)}.id`];
    case "list":
      return listOf(value.of.map(written));
  }
}

const providerText = (version: string): string => {
  const [major = "0", minor = "1"] = version.split(".");
  return `terraform {
  required_providers {
    erphost = {
      source  = "erphost/erphost"
      version = "~> ${major}.${minor}"
    }
  }
}

# The key and the address come from ERPHOST_API_KEY and ERPHOST_BASE_URL.
provider "erphost" {}
`;
};
