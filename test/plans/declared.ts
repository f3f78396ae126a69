/** One declaration of objects, written as a program of each engine. */
import { camel, toCamel } from "../../provider/contract";
import { kinds, type Kind } from "../../provider/resources";

/** An object of a program: inputs by contract name; `{ ref: "server.web" }` is another object's id. */
export interface Declared {
  readonly kind: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Something of another provider, which has a text. */
export interface Stranger {
  readonly name: string;
  readonly text: string;
}

export interface Program {
  readonly objects: readonly Declared[];
  readonly strangers?: readonly Stranger[];
  /** Ids that may be deleted in spite of their protection. */
  readonly allowDelete?: readonly string[];
  /** Values of ours that only the engine knows are secret: inputs by `kind.name.input`. */
  readonly secrets?: readonly string[];
}

/** Values with each reference written as the engine writes it. */
function withReferences(value: unknown, write: (kind: string, name: string) => string): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("ref" in value) {
    const [kind = "", name = ""] = String(value.ref).split(".");
    return write(kind, name);
  }
  if (Array.isArray(value)) return value.map((each) => withReferences(each, write));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withReferences(inner, write)]),
  );
}

/** Text in HCL templates and Pulumi YAML: nothing of it is a reference. */
const plain = (text: string): string => text.replaceAll("${", "$${");

/** `main.tf.json`, for Terraform and OpenTofu. */
export function terraformProgram(program: Program): string {
  const { objects, strangers = [], allowDelete = [], secrets = [] } = program;
  const resource: Record<string, Record<string, unknown>> = {};
  const variable: Record<string, unknown> = {};
  for (const { kind, name, inputs } of objects) {
    const values = Object.entries(inputs).map(([input, value]): [string, unknown] => {
      if (!secrets.includes(`${kind}.${name}.${input}`)) {
        return [input, withReferences(value, (of, other) => `\${erphost_${of}.${other}.id}`)];
      }
      variable[`${kind}_${name}_${input}`] = { default: value, sensitive: true };
      return [input, `\${var.${kind}_${name}_${input}}`];
    });
    (resource[`erphost_${kind}`] ??= {})[name] = Object.fromEntries(values);
  }
  for (const { name, text } of strangers) {
    (resource["terraform_data"] ??= {})[name] = { input: plain(text) };
  }
  return JSON.stringify({
    terraform: { required_providers: { erphost: { source: "erphost/erphost" } } },
    provider: { erphost: { allow_delete: allowDelete, preflight: "off" } },
    resource,
    ...(Object.keys(variable).length > 0 && { variable }),
  });
}

/** `Pulumi.yaml`, for the plugin. */
export function pluginProgram({ objects, secrets = [] }: Program): string {
  const resources = objects.map(({ kind, name, inputs }): [string, unknown] => {
    const properties = Object.entries(inputsOf(kind, inputs)).map(
      ([input, value]): [string, unknown] => {
        const written = withReferences(value, (_, other) => `\${${other}.id}`);
        const isSecret = secrets.some((one) => camel(one) === `${camel(kind)}.${name}.${input}`);
        return [input, isSecret ? { "fn::secret": written } : written];
      },
    );
    const type = `erphost:${kindOf(kind).title}`;
    return [name, { type, properties: Object.fromEntries(properties) }];
  });
  return JSON.stringify({
    // As in the folder that the stack is made in.
    name: "every-kind",
    runtime: "yaml",
    resources: Object.fromEntries(resources),
  });
}

/** What `programs/declared` reads, for dynamic resources. */
export const dynamicProgram = ({ objects, strangers = [], secrets = [] }: Program): string =>
  JSON.stringify({
    objects: objects.map(({ kind, name, inputs }) => ({
      title: kindOf(kind).title,
      name,
      inputs: inputsOf(kind, inputs),
      secrets: secrets
        .map((secret) => secret.split("."))
        .filter(([of, other]) => of === kind && other === name)
        .map(([, , input = ""]) => camel(input)),
    })),
    strangers,
  });

function kindOf(name: string): Kind {
  const kind = kinds[name];
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

const inputsOf = (kind: string, inputs: Declared["inputs"]): Record<string, unknown> =>
  toCamel(kindOf(kind).fields, inputs);
