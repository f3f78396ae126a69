/** What Terraform sees of a kind, derived from its definition: attributes, their types, timeouts. */
import { onceFor, resources, shapeOf, type Field, type Shape } from "../../contract";
import { kinds, type Kind, type KindField } from "../../resources";
import { IDENTITY, PROVIDER, TIMEOUTS } from "../names";
import { typeOf, type Type } from "./types";

export type Mode = "required" | "optional" | "computed" | "optional-computed";

export interface Attribute {
  readonly name: string;
  readonly type: Type;
  /** An object, or a collection of objects, whose members have a schema of their own. */
  readonly nested?: {
    readonly nesting: "single" | "list" | "set";
    readonly attributes: readonly Attribute[];
  };
  readonly doc: string;
  readonly mode: Mode;
  readonly sensitive?: boolean;
  readonly writeOnly?: boolean;
  /** The field's, for documentation. */
  readonly example?: unknown;
}

/** An input that may be given in a way that no state holds it. */
export interface WriteOnly {
  readonly field: string;
  readonly attribute: string;
  /** Changes when the value is to be sent again. */
  readonly version: string;
}

export interface ResourceModel {
  readonly typeName: string;
  readonly kind: Kind;
  readonly attributes: readonly Attribute[];
  readonly writeOnly: readonly WriteOnly[];
  /** Operations with a time limit that can be set. */
  readonly timeouts: readonly ("create" | "update")[];
}

let models: ReadonlyMap<string, ResourceModel> | undefined;

/** Every kind as a resource, by type name. */
export const resourceTypes = (): ReadonlyMap<string, ResourceModel> =>
  (models ??= byTypeName(Object.values(kinds).map(modelOf)));

/** By their type names, in the order in which they come. */
export const byTypeName = <T extends { readonly typeName: string }>(
  all: readonly T[],
): ReadonlyMap<string, T> => new Map(all.map((each) => [each.typeName, each]));

export function modelOf(kind: Kind): ResourceModel {
  const writeOnly = Object.entries(kind.fields)
    .filter(([, field]) => field.secret === true && field.use !== "output")
    .map(([field]) => ({ field, attribute: `${field}_wo`, version: `${field}_wo_version` }));
  const own = [
    idAttribute(kind),
    identityAttribute,
    ...writeOnly.flatMap((each) => writeOnlyAttributes(each, kind.fields[each.field])),
  ];
  const fields = Object.entries(kind.fields).map(([name, field]) => attributeOf(name, field));
  const clash = [...own.map(({ name }) => name), TIMEOUTS].find((name) => name in kind.fields);
  if (clash !== undefined) {
    throw new Error(
      `${kind.name}: the field ${clash} has the name of one of the provider's own attributes`,
    );
  }
  return {
    typeName: `${PROVIDER}_${kind.name}`,
    kind,
    attributes: [...own, ...fields].sort((a, b) => (a.name < b.name ? -1 : 1)),
    writeOnly,
    timeouts: timeoutsOf(kind),
  };
}

/** What is waited for. What the service never changes has no update to wait for. */
function timeoutsOf({ fields, resource }: Kind): ResourceModel["timeouts"] {
  if (!("wait" in fields) || resource === undefined) return [];
  return "update" in resources[resource].operations ? ["create", "update"] : ["create"];
}

const idAttribute = (kind: Kind): Attribute => ({
  name: "id",
  type: "string",
  mode: "computed",
  doc:
    kind.reading.rotates === "own-key" ? "Id of the first key of its line." : "Id of the object.",
});

const identityAttribute: Attribute = {
  name: IDENTITY,
  type: "string",
  // The stored token stays, whatever the program gives later: see `withFirstIdentity`.
  mode: "optional-computed",
  doc: 'A unique token for this object that stays the same across runs, such as `"web-1 of ${terraform.workspace}"`: after an interrupted run, the next one finds by it what was created. No two objects may share a token, whether they are in one state or in two states of one folder. Without a token, objects of one workspace with equal content are indistinguishable. It is used while the object is created; the first token is kept, and changing it later plans nothing. Never sent to the service.',
};

function writeOnlyAttributes(
  { field, attribute, version }: WriteOnly,
  definition: KindField | undefined,
): Attribute[] {
  if (!definition) return [];
  // Not sensitive: no plan or state holds it, and Terraform 1.11 sees a difference in the order of
  // two sensitive attributes.
  const mode = "optional";
  return [
    {
      name: attribute,
      ...typed(shapeOf(definition.schema), definition, mode),
      mode,
      doc: `Like \`${field}\`, but stored in no plan and no state. Sent on creation, and when \`${version}\` changes. Only one of the two may be set. OpenTofu shows it in every update of the object, also where it is not sent.`,
      writeOnly: true,
    },
    {
      name: version,
      type: "string",
      mode: "optional",
      doc: `Any change sends \`${attribute}\` again.`,
    },
  ];
}

function attributeOf(name: string, field: KindField): Attribute {
  const mode = modeOf(field);
  const own = typed(shapeOf(field.schema), field, mode);
  const isStored = field.secret === true && own.type === "dynamic";
  return {
    name,
    ...own,
    // The engines write dynamic values of stored states to their debug logs, even sensitive ones.
    ...(isStored && { type: ["map", "string"] }),
    mode,
    doc: docOf(field) + (isStored ? storedDoc(name) : ""),
    ...(field.secret === true && { sensitive: true }),
    ...(field.example !== undefined && { example: field.example }),
  };
}

const storedDoc = (name: string): string =>
  ` Strings only; \`${name}_wo\` takes values of any type. Only one of the two may be set.`;

/** The type of a shape, with a schema of its own for objects. */
export function typed(
  shape: Shape,
  field: Pick<Field, "unordered">,
  mode: Mode,
): Pick<Attribute, "type" | "nested"> {
  const type = typeOf(shape, field);
  const element = shape.kind === "list" ? shape.of : shape;
  if (element.kind !== "object" || type === "dynamic") return { type };
  const nesting = shape.kind === "list" ? (field.unordered ? "set" : "list") : "single";
  const attributes = Object.entries(element.fields).map(([name, member]): Attribute => {
    const inner: Mode =
      mode === "computed" ? "computed" : member.required ? "required" : "optional";
    return { name, ...typed(member.shape, {}, inner), mode: inner, doc: member.doc };
  });
  return { type, nested: { nesting, attributes } };
}

/** What the service or an import may fill in is also computed; no other option is. */
function modeOf(field: KindField): Mode {
  if (field.use === "output") return "computed";
  if (field.use === "required") return "required";
  const isFree = typeOf(shapeOf(field.schema), field) === "dynamic" && field.secret !== true;
  return field.origin === "service" || isFree ? "optional-computed" : "optional";
}

const docOf = (field: KindField): string =>
  field.immutable ? `${field.doc} Changing this forces replacement.` : field.doc;

const indexOf = onceFor(
  (attributes: readonly Attribute[]) => new Map(attributes.map((each) => [each.name, each])),
);

export const attributeNamed = (
  attributes: readonly Attribute[],
  name: string,
): Attribute | undefined => indexOf(attributes).get(name);
