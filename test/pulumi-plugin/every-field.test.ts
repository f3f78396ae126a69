/** Generated from the definitions: each field of each resource, edited, shows as itself alone. */
import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { afterAll, describe, expect, test } from "@jest/globals";
import { camel, isRecord, shapeOf, type Shape } from "../../provider/contract";
import { kinds, type Kind, type KindField } from "../../provider/resources";
import { diffAnswerOf, diffOf, openPlugin, outputsOf, type Properties } from "./support";

const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;
const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
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
    kind.inputs.map(([name, field]) => [camel(name), sample(shapeOf(field.schema))]),
  );

interface Edit {
  readonly what: string;
  /** Before the edit; left out: the sample. */
  readonly from?: { readonly value: unknown };
  readonly value: unknown;
  readonly path: string;
  readonly kind: "add" | "update" | "delete" | "none";
}

/** Edits of one field, each with what must show. */
function editsOf(name: string, field: KindField): Edit[] {
  const shape = shapeOf(field.schema);
  const before = sample(shape);
  const path = camel(name);
  // What only the engine reads falls back when it is left out; of free fields, each key is reported.
  const bag = shape.kind === "map" && name !== "triggers";
  const left: Edit[] =
    field.use === "required"
      ? []
      : [
          {
            what: "left out",
            value: undefined,
            path: bag ? `${path}.key` : path,
            kind: field.origin === "option" ? "delete" : "none",
          },
          {
            what: "given first",
            from: { value: undefined },
            value: before,
            path: shape.kind === "map" ? `${path}.key` : path,
            kind: "add",
          },
        ];
  const emptied: Edit[] =
    shape.kind === "map"
      ? [
          {
            what: "a key removed",
            value: {},
            path: `${path}.key`,
            kind: "delete",
          },
        ]
      : [];
  return [
    { what: "kept", value: before, path, kind: "none" },
    ...left,
    ...emptied,
    { what: "not known yet", value: UNKNOWN, path, kind: "update" },
    ...reorderOf(shape, before, path, field.key),
    ...changesOf(shape, before, path, field.key),
  ];
}

/** Every list is a set: which element comes first means nothing. */
function reorderOf(shape: Shape, before: unknown, path: string, key?: string): Edit[] {
  if (shape.kind !== "list" || !Array.isArray(before)) return [];
  const both = [before[0] as unknown, otherOf(before[0], key)];
  const value = [...both].reverse();
  return [{ what: "reordered", from: { value: both }, value, path, kind: "none" }];
}

const otherOf = (first: unknown, key: string | undefined): unknown =>
  isRecord(first) && key !== undefined ? { ...first, [key]: "other" } : "other";

function changesOf(shape: Shape, before: unknown, path: string, key?: string): Edit[] {
  if (shape.kind === "list" && Array.isArray(before)) {
    const first: unknown = before[0];
    const other = otherOf(first, key);
    return [
      { what: "an element added", value: [first, other], path: `${path}[1]`, kind: "add" },
      { what: "an element removed", value: [], path: `${path}[0]`, kind: "delete" },
      ...(isRecord(first) && shape.of.kind === "object"
        ? memberChanges(shape.of.fields, first, path, key)
        : []),
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

/** Each member of an element, but the one that says which element it is. */
function memberChanges(
  fields: Extract<Shape, { kind: "object" }>["fields"],
  element: Properties,
  path: string,
  key: string | undefined,
): Edit[] {
  return Object.entries(fields).flatMap(([name, { shape, required }]) => {
    const member = camel(name);
    if (member === key) return [];
    const edits = changesOf(shape, element[member], `${path}[0].${member}`);
    const { [member]: _, ...without } = element;
    return [
      ...edits.map((edit) => ({
        ...edit,
        what: `an element's ${member} ${edit.what}`,
        value: [{ ...element, [member]: edit.value }],
      })),
      ...(required
        ? []
        : [
            {
              what: `an element's ${member} left out`,
              value: [without],
              path: `${path}[0].${member}`,
              kind: "none" as const,
            },
          ]),
    ];
  });
}

const diffKinds = {
  add: [ADD, ADD_REPLACE],
  update: [UPDATE, UPDATE_REPLACE],
  delete: [DELETE, DELETE_REPLACE],
} as const;

describe.each(Object.values(kinds).map((kind) => [kind.title, kind] as const))("%s", (_, kind) => {
  // Protection would refuse the replacements that these tests expect.
  const unprotected = {
    ...inputsOf(kind),
    ...("deletion_protection" in kind.fields && { deletionProtection: false }),
  };
  const cases = kind.inputs.flatMap(([name, field]) =>
    editsOf(name, field).map((edit) => [`${camel(name)} ${edit.what}`, name, field, edit] as const),
  );

  test("every field has edits that show in the plugin's diff", () => {
    const shown = new Set(cases.flatMap(([, name, , { kind }]) => (kind === "none" ? [] : [name])));
    expect([...shown]).toEqual(kind.inputs.map(([name]) => name));
  });

  test("the plugin's diff of an unchanged program is empty", async () => {
    expect(await diffOf(plugin, kind, outputsOf(unprotected), unprotected)).toEqual({});
  });

  test.each(cases)("the plugin's diff shows %s", async (_title, name, field, edit) => {
    const olds = {
      ...unprotected,
      ...(name === "deletion_protection" && { deletionProtection: true }),
      ...(edit.from && { [camel(name)]: edit.from.value }),
    };
    const news = { ...olds, [camel(name)]: edit.value };
    const { changes, ...answer } = await diffAnswerOf(plugin, kind, outputsOf(olds), news);
    const replaces = field.immutable || (kind.reading.replaceOn ?? []).includes(name);
    const shown = edit.kind === "none" ? [] : [camel(name)];
    expect(changes).toBe(edit.kind === "none" ? DIFF_NONE : DIFF_SOME);
    expect(answer).toEqual({
      paths: edit.kind === "none" ? {} : { [edit.path]: diffKinds[edit.kind][replaces ? 1 : 0] },
      diffs: shown,
      replaces: replaces ? shown : [],
      // The new object is created first, because names need not be unique.
      deleteBeforeReplace: false,
    });
  });
});
