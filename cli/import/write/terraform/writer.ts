/** Terraform and OpenTofu: resources in a file per kind, `import` blocks in a file to be deleted later. */
import { resources } from "../../../../provider/contract";
import type { Kind } from "../../../../provider/resources";
import type { Files } from "../../folder";
import type { Program, TakenObject } from "../../program/model";
import { appended, type Writer, type WriteOptions } from "../writer";
import { groupImportLines, groupLines, isGroup, type Declaration } from "./for-each";
import { attributeLines, block, quoted } from "./hcl";
import { surveyOf } from "./survey";
import { sourceOfValue } from "./values";

const IMPORTS = "imports.tf";
const IMPORTS_NOTE = "# Takes over what exists already. After the apply, this file can be deleted.";
const PROVIDER_FILE = "versions.tf";

export const terraformWriter: Writer = {
  reads: /\.(?:tf|tofu)(?:\.json)?$/,
  groups: true,
  survey: surveyOf,
  render,
  next: () => ["terraform init", "terraform plan", "terraform apply"],
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
  // Before the resources: were only those written, a plan would create what exists.
  add(IMPORTS, declarations(program.objects).map(importText).join("\n\n"), IMPORTS_NOTE);
  for (const [kind, objects] of byKind(program.objects)) {
    add(fileOf(kind), declarations(objects).map(resourceText).join("\n\n"), kindNote(kind));
  }
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

/** Objects that one block declares: a single one, or all of a `for_each`. */
function declarations(objects: readonly TakenObject[]): Declaration[] {
  const blocks = new Map<string, [TakenObject, ...TakenObject[]]>();
  for (const object of objects) {
    const address = `${object.kind.name}.${object.place.name}`;
    const others = blocks.get(address);
    if (others) others.push(object);
    else blocks.set(address, [object]);
  }
  return [...blocks.values()];
}

function resourceText(objects: Declaration): string {
  const [{ kind, place, values, secrets }] = objects;
  const attributes = [...values].map(([name, value]) => [name, sourceOfValue(value)] as const);
  return block(`resource "erphost_${kind.name}" "${place.name}"`, [
    ...(isGroup(objects) ? groupLines(objects) : attributeLines(attributes)),
    ...secrets.map(secretNote),
  ]);
}

const secretNote = (name: string): string =>
  `# ${quoted(name)} may be a secret, so it is not written: give it in secret_properties to manage it.`;

function importText(objects: Declaration): string {
  const [{ kind, id, place }] = objects;
  const address = `erphost_${kind.name}.${place.name}`;
  return block(
    "import",
    isGroup(objects)
      ? groupImportLines(objects, address)
      : attributeLines([
          ["to", [address]],
          ["id", [quoted(id)]],
        ]),
  );
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
