/** Programs for the documentation, made from the `example` values of the definitions. */
import { camel, isRecord, resolveContract, shapeOf, toCamel } from "../../../provider/contract";
import type { Resource, Shape } from "../../../provider/contract";
import { check, kinds, type Kind, type KindField } from "../../../provider/resources";

const contract = resolveContract();

/** A program that declares one object of the kind, and what it refers to. */
export function exampleProgram(kind: Kind): string {
  const lines = declarations(kind, ({ name, title, fields }, inputs) => {
    const members = Object.entries(inputs).map(([field, value]) => {
      const text =
        value instanceof Reference
          ? `${camel(value.kind.name)}.id`
          : literal(Object.values(toCamel(fields, { [field]: value }))[0]);
      return `  ${camel(field)}: ${text},`;
    });
    return `const ${camel(name)} = new erphost.${title}("example", {\n${members.join("\n")}\n});`;
  });
  return ['import * as erphost from "erphost/pulumi";', "", ...lines].join("\n");
}

/** Stands for the id of what is declared with an object. */
export class Reference {
  constructor(readonly kind: Kind) {}
}

type Inputs = Readonly<Record<string, unknown>>;

/**
 * The example of a kind, after what it refers to; each kind once, under its own name.
 * @param write declares one object of a kind, with the contract's names
 */
export function declarations(kind: Kind, write: (kind: Kind, inputs: Inputs) => string): string[] {
  const blocks = new Map<string, string>();
  const declare = (each: Kind, inputs: Inputs): void => {
    const values = Object.entries(inputs).map(([name, value]): [string, unknown] => {
      const target = referred(each.fields[name]);
      if (!target) return [name, value];
      if (!blocks.has(target.name)) declare(target, requiredInputs(target));
      return [name, new Reference(target)];
    });
    blocks.set(each.name, write(each, Object.fromEntries(values)));
  };
  declare(kind, exampleInputs(kind));
  return [...blocks.values()];
}

/**
 * Inputs that pass the engine's own check: everything that is required, then everything that has an
 * example and is compatible with the rest. Secrets are left out, and so is what needs a key of the
 * reader.
 */
export function exampleInputs(kind: Kind): Inputs {
  let chosen = requiredInputs(kind);
  for (const [name, field] of kind.inputs) {
    if (name in chosen || field.example === undefined || kind.exactlyOne?.includes(name)) {
      continue;
    }
    const more = { ...chosen, [name]: field.example };
    if (check(contract, kind, more).issues.length === 0) chosen = more;
  }
  return chosen;
}

function requiredInputs(kind: Kind): Record<string, unknown> {
  const first = kind.exactlyOne?.[0];
  return Object.fromEntries(
    kind.inputs
      .filter(([name, field]) => field.use === "required" || name === first)
      .map(([name, field]) => [name, field.example ?? placeholder(name, shapeOf(field.schema))]),
  );
}

/** A value of the right shape, for a field without an example. */
function placeholder(name: string, shape: Shape): unknown {
  if (shape.kind === "boolean") return true;
  if (shape.kind === "integer" || shape.kind === "number") return 1;
  if (shape.kind === "list") return [placeholder(name, shape.of)];
  if (shape.kind === "map") return {};
  if (shape.kind !== "object") return `my-${name.replace(/_/g, "-")}`;
  const needed = Object.entries(shape.fields).filter(([, member]) => member.required);
  return Object.fromEntries(needed.map(([key, member]) => [key, placeholder(key, member.shape)]));
}

/** What a lookup of one object may select by: its name, or what it belongs to. */
export function exampleSelection(resource: Resource): Inputs {
  const { fields, idPrefix } = resource;
  const { name } = fields;
  if (name) return { name: name.example ?? "my-name" };
  const [owner] = Object.entries(fields).filter(([, { references }]) => references !== undefined);
  return owner ? { [owner[0]]: owner[1].example, most_recent: true } : { id: `${idPrefix}_1` };
}

/**
 * The kind whose object is declared with it. An option names an object that was created elsewhere,
 * like the key of a rotation.
 */
const referred = (field: KindField | undefined): Kind | undefined =>
  field?.references !== undefined && field.origin === "service"
    ? kinds[field.references]
    : undefined;

const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, inner]) =>
      `${/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)}: ${literal(inner)}`,
  );
  return `{ ${members.join(", ")} }`;
};
