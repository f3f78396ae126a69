/** Data sources and the ephemeral resource, derived from what the service lists. */
import { shapeOf, type Field, type Resource } from "../../contract";
import { noun } from "../../messages";
import { LIMIT, lookups, selectorsOf, type KindField, type Selector } from "../../resources";
import { byTypeName, resourceTypes, typed, type Attribute, type ResourceModel } from "./model";
import { PROVIDER } from "../names";
import type { Type } from "./types";

/** A block of a configuration that declares no resource. */
export interface Block {
  readonly typeName: string;
  readonly doc: string;
  readonly attributes: readonly Attribute[];
}
export interface ListSource extends Block {
  readonly kind: "list";
  readonly resource: Resource;
  /** The attribute that holds the records. */
  readonly list: Attribute;
  readonly selectors: readonly Selector[];
}
export interface OneSource extends Block {
  readonly kind: "one";
  readonly resource: Resource;
  readonly selectors: readonly Selector[];
}
export interface AuthSource extends Block {
  readonly kind: "auth";
}
export type DataSource = ListSource | OneSource | AuthSource;

/** Attribute of free fields in an element of a list, which cannot hold values of any shape. */
export const PROPERTIES_JSON = "properties_json";

let sources: ReadonlyMap<string, DataSource> | undefined;

/** Every data source, by type name. */
export const dataSources = (): ReadonlyMap<string, DataSource> =>
  (sources ??= byTypeName([...lookups.flatMap(sourcesOf), authSource]));

/** Ephemeral resources: they read, and create nothing. */
export const ephemeralResources = (): ReadonlyMap<string, AuthSource> => byTypeName([authSource]);

/** What queries list of a resource: its filters are those of its plural data source. */
export interface ListModel {
  readonly model: ResourceModel;
  readonly doc: string;
  readonly attributes: readonly Attribute[];
}

const lists = new Map<string, ListModel>();

/** Every list resource, by type name: what the service lists and a resource declares. */
export function listResources(): ReadonlyMap<string, ListModel> {
  if (lists.size === 0) {
    for (const source of dataSources().values()) {
      const model = resourceTypes().get(
        `${PROVIDER}_${"resource" in source && source.resource.name}`,
      );
      if (source.kind !== "list" || !model) continue;
      const attributes = source.attributes.filter(
        ({ name }) => name !== LIMIT && name !== source.list.name,
      );
      const isKey = model.kind.reading.rotates === "own-key";
      const lines = isKey
        ? " One result for each line of rotations, and none for expired keys."
        : "";
      lists.set(model.typeName, { model, doc: `${source.doc}${lines}`, attributes });
    }
  }
  return lists;
}

const sourcesOf = (resource: Resource): DataSource[] => [oneSource(resource), listSource(resource)];

/** A secret is returned when a key is created and never listed. */
const listedFields = (resource: Resource): [string, Field][] =>
  Object.entries(resource.fields).filter(([, { secret }]) => secret !== true);

const computed = (name: string, field: Pick<KindField, "schema" | "doc" | "unordered">) =>
  ({
    name,
    ...typed(shapeOf(field.schema), field, "computed"),
    mode: "computed",
    doc: field.doc,
  }) satisfies Attribute;

function oneSource(resource: Resource): OneSource {
  const selectors = selectorsOf(resource, "one");
  const selecting = new Set(selectors.map(({ name }) => name));
  const attributes = listedFields(resource).map(([name, field]): Attribute => {
    const attribute = computed(name, field);
    return selecting.has(name) ? { ...attribute, mode: "optional-computed" } : attribute;
  });
  return {
    kind: "one",
    typeName: `${PROVIDER}_${resource.name}`,
    doc: `${resource.doc} Reads the one that matches every argument. If several match, it fails and lists their ids, unless \`most_recent\` is true.`,
    attributes: [
      ...attributes,
      ...selectors.filter(({ name }) => !(name in resource.fields)).map(optional),
      answered(
        "properties",
        "dynamic",
        "Further fields that the service returned, without what looks like a secret; null where there are none.",
      ),
    ],
    selectors,
    resource,
  };
}

const answered = (name: string, type: Type, doc: string): Attribute => ({
  name,
  type,
  mode: "computed",
  doc,
});

const optional = ({ name, schema, doc }: Selector): Attribute => ({
  name,
  ...typed(shapeOf(schema), {}, "optional"),
  mode: "optional",
  doc,
});

function listSource(resource: Resource): ListSource {
  const selectors = selectorsOf(resource, "many");
  const inner: readonly Attribute[] = [
    ...listedFields(resource).map(([name, field]) => computed(name, field)),
    answered(
      PROPERTIES_JSON,
      "string",
      "Further fields that the service returned, as JSON and without what looks like a secret; `null` where there are none.",
    ),
  ];
  const type: Type = [
    "list",
    ["object", Object.fromEntries(inner.map((attribute) => [attribute.name, attribute.type]))],
  ];
  const list: Attribute = {
    name: resource.plural,
    type,
    nested: { nesting: "list", attributes: inner },
    mode: "computed",
    doc: `The ${noun(resource.plural)}, newest first.`,
  };
  return {
    kind: "list",
    typeName: `${PROVIDER}_${resource.plural}`,
    doc: `All ${noun(resource.plural)} of the account, or those that match every argument. ${resource.doc}`,
    attributes: [...selectors.map(optional), list],
    resource,
    list,
    selectors,
  };
}

const rateLimit: readonly Attribute[] = [
  answered("limit", "number", "Requests allowed in the current window."),
  answered("remaining", "number", "Requests left in it."),
  answered("reset", "string", "When the window ends."),
];

const authSource: AuthSource = {
  kind: "auth",
  typeName: `${PROVIDER}_auth`,
  doc: "The key in use and what it may do; never the key itself.",
  attributes: [
    answered("authenticated", "bool", "Whether the service knows the key."),
    answered("key_id", "string", "Id of the key."),
    answered("permissions", ["set", "string"], "Scopes of the key."),
    {
      name: "rate_limit",
      type: ["object", { limit: "number", remaining: "number", reset: "string" }],
      nested: { nesting: "single", attributes: rateLimit },
      mode: "computed",
      doc: "How much of its quota the key has left; null if the service does not report it.",
    },
  ],
};
