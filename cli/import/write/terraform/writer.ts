/** Terraform and OpenTofu: resources in a file per kind, `import` blocks in a file to be deleted later. */
import type { Kind } from "../../../../provider/resources";
import type { Files } from "../../folder";
import type { Program, TakenObject } from "../../program/model";
import { pluralOf } from "../modules";
import { kindNote, secretNote } from "../unwritten";
import { appended, type Writer, type WriteOptions } from "../writer";
import { groupImportLines, groupLines, isGroup, type Declaration } from "./for-each";
import { attributeLines, block, quoted, sourceOfValue } from "./hcl";
import { surveyOf } from "./survey";

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
  if (existing.size === 0) files.set(PROVIDER_FILE, providerText(options.version));
  const add = (file: string, text: string, note?: string): void => {
    const before = files.get(file) ?? existing.get(file);
    const head = before === undefined && note !== undefined ? `${note}\n\n` : "";
    files.set(file, appended(before, `${head}${text}\n`));
  };
  // Before the resources: were only those written, a plan would create what exists.
  add(IMPORTS, declarations(program.objects).map(importText).join("\n\n"), IMPORTS_NOTE);
  for (const [kind, objects] of Map.groupBy(program.objects, ({ kind }) => kind)) {
    add(fileOf(kind), declarations(objects).map(resourceText).join("\n\n"), noteOf(kind));
  }
  return files;
}

/** `servers.tf` */
const fileOf = (kind: Kind): string => `${pluralOf(kind)}.tf`;

const noteOf = (kind: Kind): string | undefined => {
  const lines = kindNote(kind, (field) => `\`${field}\``);
  return lines.length === 0 ? undefined : lines.map((line) => `# ${line}`).join("\n");
};

/** Objects that one block declares: a single one, or all of a `for_each`. */
const declarations = (objects: readonly TakenObject[]): Declaration[] =>
  [...Map.groupBy(objects, ({ kind, place }) => `${kind.name}.${place.name}`).values()].flatMap(
    ([first, ...more]): Declaration[] => (first ? [[first, ...more]] : []),
  );

function resourceText(objects: Declaration): string {
  const [{ kind, place, values, secrets }] = objects;
  const attributes = [...values].map(([name, value]) => [name, sourceOfValue(value)] as const);
  return block(`resource "erphost_${kind.name}" "${place.name}"`, [
    ...(isGroup(objects) ? groupLines(objects) : attributeLines(attributes)),
    ...secrets.map((name) => `# ${secretNote(quoted(name), "secret_properties")}`),
  ]);
}

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
