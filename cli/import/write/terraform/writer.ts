/** Terraform and OpenTofu: resources in a file per kind, `import` blocks in a file to be deleted later. */
import type { Kind } from "../../../../provider/resources";
import type { Files } from "../../folder";
import type { Program, TakenObject, Value } from "../../program/model";
import { pluralOf } from "../modules";
import { appended, kindNote, secretNote, type Writer, type WriteOptions } from "../writer";
import type { Source } from "../source";
import { attributeLines, block, entryOf, itemsOf, keyed } from "./hcl";
import { quoted, quotedKey, sourceOfValue, type Attribute } from "./hcl";
import { surveyOf } from "./survey";

const IMPORTS = "imports.tf";
const IMPORTS_NOTE = "# Takes over what exists already. After the apply, this file can be deleted.";
const PROVIDER_FILE = "versions.tf";

export const terraformWriter: Writer = {
  reads: /\.(?:tf|tofu)(?:\.json)?$/,
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

/** Objects that one block declares: a single one, or all of a `for_each`, which are alike. */
type Declaration = readonly [TakenObject, ...TakenObject[]];

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

const isGroup = ([{ place }]: Declaration): boolean => place.key !== undefined;
const keyOf = ({ place }: TakenObject): string => place.key ?? "";

function groupLines(objects: Declaration): string[] {
  const [first] = objects;
  const shared = new Map<string, Source>();
  const varying: string[] = [];
  for (const [name, value] of first.values) {
    const same = sharedBy(objects, name, value);
    if (same) shared.set(name, same);
    else varying.push(name);
  }
  const [only, ...more] = varying;
  const each = (name: string): Source =>
    shared.get(name) ?? [more.length === 0 ? "each.value" : `each.value.${name}`];
  return [
    ...attributeLines([["for_each", forEach(objects, only, more)]]),
    "",
    ...attributeLines([...first.values.keys()].map((name) => [name, each(name)])),
  ];
}

/** Keys alone, a value under each key, or an object under each. */
function forEach(objects: Declaration, only: string | undefined, more: readonly string[]): Source {
  if (only === undefined) {
    const [open = "", ...items] = itemsOf(objects.map((object) => [quoted(keyOf(object))]));
    return [`toset(${open}`, ...items.slice(0, -1), "])"];
  }
  const valueOf = (object: TakenObject, name: string): Source => {
    const value = object.values.get(name);
    return value ? sourceOfValue(value) : ["null"];
  };
  return keyed(
    objects.map((object): Attribute => {
      const members = [only, ...more].map((name): Attribute => [name, valueOf(object, name)]);
      const value = more.length === 0 ? valueOf(object, only) : entryOf(members);
      return [quotedKey(keyOf(object)), value];
    }),
  );
}

/** An expression that gives each object its own value; undefined: there is none. */
function sharedBy(objects: Declaration, name: string, value: Value): Source | undefined {
  const all = objects.map((object) => ({ key: keyOf(object), value: object.values.get(name) }));
  const text = JSON.stringify(value);
  if (all.every((each) => JSON.stringify(each.value) === text)) return sourceOfValue(value);
  if (all.every((each) => each.value?.is === "literal" && each.value.value === each.key)) {
    return ["each.key"];
  }
  if (value.is !== "reference") return undefined;
  const { kind, place } = value;
  const isOwn = all.every(
    (each) =>
      each.value?.is === "reference" &&
      each.value.kind === kind &&
      each.value.place.name === place.name &&
      each.value.place.key === each.key,
  );
  return isOwn ? [`erphost_${kind}.${place.name}[each.key].id`] : undefined;
}

const groupImportLines = (objects: Declaration, address: string): string[] => [
  ...attributeLines([
    [
      "for_each",
      keyed(objects.map((each): Attribute => [quotedKey(keyOf(each)), [quoted(each.id)]])),
    ],
  ]),
  ...attributeLines([
    ["to", [`${address}[each.key]`]],
    ["id", ["each.value"]],
  ]),
];

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
