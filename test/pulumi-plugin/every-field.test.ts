/** Generated from the definitions: each field of each resource, edited, shows as itself alone. */
import { PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { afterAll, describe, expect, it } from "@jest/globals";
import { camel, isRecord, shapeOf, type Shape } from "../../provider/contract";
import { inputFields, kinds, type Kind, type KindField } from "../../provider/resources";
import { diffOf, openPlugin, outputsOf, type Properties } from "./support";

const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;
const plugin = openPlugin();
afterAll(() => plugin.close());

/** A value of a shape; nothing checks it but the shape here. */
function sample(shape: Shape): unknown {
  switch (shape.kind) {
    case "string":
      return "text";
    case "boolean":
      return true;
    case "integer":
    case "number":
      return 1;
    case "any":
      return "anything";
    case "list":
      return [sample(shape.of)];
    case "map":
      return { key: sample(shape.of) };
    case "object":
      return Object.fromEntries(
        Object.entries(shape.fields).map(([name, member]) => [camel(name), sample(member.shape)]),
      );
  }
}

const inputsOf = (kind: Kind): Properties =>
  Object.fromEntries(
    inputFields(kind).map(([name, field]) => [camel(name), sample(shapeOf(field.schema))]),
  );

interface Edit {
  readonly what: string;
  readonly value: unknown;
  readonly path: string;
  readonly kind: "add" | "update" | "delete" | "none";
}

/** Edits of one field, each with what must show. */
function editsOf(name: string, field: KindField): Edit[] {
  const shape = shapeOf(field.schema);
  const before = sample(shape);
  const path = camel(name);
  // What only the engine reads falls back when it is left out; a map of the service's is left alone.
  const bag = shape.kind === "map" && name !== "triggers";
  const left: Edit[] =
    field.use === "required"
      ? []
      : [
          {
            what: "left out",
            value: undefined,
            path,
            kind: field.origin === "option" && !bag ? "delete" : "none",
          },
        ];
  return [
    { what: "kept", value: before, path, kind: "none" },
    ...left,
    ...changesOf(shape, before, path),
  ];
}

function changesOf(shape: Shape, before: unknown, path: string): Edit[] {
  if (shape.kind === "list" && Array.isArray(before)) {
    const first: unknown = before[0];
    const added = shape.of.kind === "object" ? { email: "other" } : "other";
    const inner =
      shape.of.kind === "object" && isRecord(first)
        ? [
            {
              what: "an element changed",
              value: [{ ...first, role: "other" }],
              path: `${path}[0].role`,
              kind: "update" as const,
            },
          ]
        : [];
    return [
      { what: "an element added", value: [first, added], path: `${path}[1]`, kind: "add" },
      { what: "an element removed", value: [], path: `${path}[0]`, kind: "delete" },
      ...inner,
    ];
  }
  if (shape.kind === "map") {
    const other = shape.of.kind === "string" ? "other" : { deep: ["other"] };
    return [
      { what: "a key changed", value: { key: other }, path: `${path}.key`, kind: "update" },
      {
        what: "a key added",
        value: { key: sample(shape.of), "a.b": other },
        path: `${path}["a.b"]`,
        kind: "add",
      },
    ];
  }
  const value = typeof before === "boolean" ? !before : typeof before === "number" ? 2 : "other";
  return [{ what: "changed", value, path, kind: "update" }];
}

const told = {
  add: [ADD, ADD_REPLACE],
  update: [UPDATE, UPDATE_REPLACE],
  delete: [DELETE, DELETE_REPLACE],
} as const;

describe.each(Object.values(kinds).map((kind) => [kind.title, kind] as const))("%s", (_, kind) => {
  // Protection would refuse the replacements that are looked for here.
  const unprotected = {
    ...inputsOf(kind),
    ...("deletion_protection" in kind.fields && { deletionProtection: false }),
  };
  const cases = inputFields(kind).flatMap(([name, field]) =>
    editsOf(name, field)
      .filter(() => name !== "deletion_protection")
      .map((edit) => [`${camel(name)} ${edit.what}`, name, field, edit] as const),
  );

  it("an edit of nothing shows nothing", async () => {
    expect(await diffOf(plugin, kind, outputsOf(unprotected), unprotected)).toEqual({});
  });

  it.each(cases)("%s", async (_title, name, field, edit) => {
    const news = { ...unprotected, [camel(name)]: edit.value };
    const found = await diffOf(plugin, kind, outputsOf(unprotected), news);
    if (edit.kind === "none") {
      expect(found).toEqual({});
      return;
    }
    const replaces = field.immutable || (kind.reading.replaceOn ?? []).includes(name);
    expect(found).toEqual({ [edit.path]: told[edit.kind][replaces ? 1 : 0] });
  });
});
