import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import * as erphost from "erphost/pulumi";

interface Listed {
  readonly objects: readonly {
    readonly title: string;
    readonly name: string;
    readonly inputs: Readonly<Record<string, unknown>>;
    readonly secrets: readonly string[];
  }[];
  readonly strangers: readonly { readonly name: string; readonly text: string }[];
}

/** Written by the test, for this program. */
const { objects, strangers } = JSON.parse(readFileSync("objects.json", "utf8")) as Listed;

/** Every class by its title; what their constructors take is what the file was made for. */
const classes = erphost as unknown as Readonly<
  Record<string, new (name: string, args: object) => pulumi.CustomResource>
>;

const made = new Map<string, pulumi.CustomResource>();

/** A value with references to the objects before it. */
function resolved(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(resolved);
  if ("ref" in value) return made.get(String(value.ref))?.id;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolved(inner)]));
}

for (const { title, name, inputs, secrets } of objects) {
  const Class = classes[title];
  if (Class === undefined) throw new Error(`there is no class ${title}`);
  const args = Object.entries(inputs).map(([input, value]): [string, unknown] => {
    const known = resolved(value);
    return [input, secrets.includes(input) ? pulumi.secret(known) : known];
  });
  const kind = title.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  made.set(`${kind}.${name}`, new Class(name, Object.fromEntries(args)));
}

/** Of another provider than ours. */
const echo: pulumi.dynamic.ResourceProvider = {
  create: async (inputs: Record<string, unknown>) => ({ id: "echo", outs: inputs }),
};
class Stranger extends pulumi.dynamic.Resource {
  constructor(name: string, text: string) {
    super(echo, name, { text });
  }
}
for (const { name, text } of strangers) new Stranger(name, text);
