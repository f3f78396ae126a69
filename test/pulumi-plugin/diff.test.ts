/**
 * The plugin's diff. Generated from the definitions: each field of each resource, edited, shows as
 * itself alone; and a change that the engine refuses never reaches Pulumi as one that can be made.
 */
import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { afterAll, describe, expect, test } from "@jest/globals";
import { camel, isRecord, shapeOf, type Shape } from "../../provider/contract";
import { kinds, type Kind, type KindField } from "../../provider/resources";
import { diffAnswerOf, diffOf, kindOf, openPlugin, outputsOf, type Properties } from "./support";

const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;
const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const plugin = openPlugin();
afterAll(() => plugin.close());

const SAMPLES = { string: "text", boolean: true, integer: 1, number: 1, any: "anything" } as const;

/** A value of a shape; nothing checks it but the shape here. */
function sample(shape: Shape): unknown {
  if (shape.kind === "list") return [sample(shape.of)];
  if (shape.kind === "map") return { key: sample(shape.of) };
  if (shape.kind !== "object") return SAMPLES[shape.kind];
  const members = Object.entries(shape.fields);
  return Object.fromEntries(members.map(([name, of]) => [camel(name), sample(of.shape)]));
}

const inputsOf = ({ inputs }: Kind): Properties =>
  Object.fromEntries(inputs.map(([name, { schema }]) => [camel(name), sample(shapeOf(schema))]));

/** Where the edit starts from something else than the sample, that is last. */
type Edit = readonly [
  what: string,
  kind: "add" | "update" | "delete" | "none",
  path: string,
  value: unknown,
  from?: { readonly value: unknown },
];

/** Edits of one field, each with what must show. */
function editsOf(name: string, field: KindField): Edit[] {
  const shape = shapeOf(field.schema);
  const before = sample(shape);
  const path = camel(name);
  const within = shape.kind === "map" ? `${path}.key` : path;
  // What only the engine reads falls back when it is left out; of free fields, each key is reported.
  const left = field.origin === "option" ? "delete" : "none";
  const leftAt = name === "triggers" ? path : within;
  const optional: Edit[] = [
    ["left out", left, leftAt, undefined],
    ["given first", "add", within, before, { value: undefined }],
  ];
  return [
    ["kept", "none", path, before],
    ...(field.use === "required" ? [] : optional),
    ...(shape.kind === "map" ? [["a key removed", "delete", within, {}] satisfies Edit] : []),
    ["not known yet", "update", path, UNKNOWN],
    ...reorderOf(shape, before, path, field.key),
    ...changesOf(shape, before, path, field.key),
  ];
}

/** Every list is a set: which element comes first means nothing. */
function reorderOf(shape: Shape, before: unknown, path: string, key?: string): Edit[] {
  if (shape.kind !== "list" || !Array.isArray(before)) return [];
  const both = [before[0] as unknown, otherOf(before[0], key)];
  return [["reordered", "none", path, [...both].reverse(), { value: both }]];
}

const otherOf = (first: unknown, key: string | undefined): unknown =>
  isRecord(first) && key !== undefined ? { ...first, [key]: "other" } : "other";

function changesOf(shape: Shape, before: unknown, path: string, key?: string): Edit[] {
  if (shape.kind === "list" && Array.isArray(before)) {
    const first: unknown = before[0];
    const other = otherOf(first, key);
    return [
      ["an element added", "add", `${path}[1]`, [first, other]],
      ["an element removed", "delete", `${path}[0]`, []],
      ...(isRecord(first) && shape.of.kind === "object"
        ? memberChanges(shape.of.fields, first, path, key)
        : []),
    ];
  }
  if (shape.kind === "map") {
    const other = shape.of.kind === "string" ? "other" : { deep: ["other"] };
    return [
      ["a key changed", "update", `${path}.key`, { key: other }],
      ["a key added", "add", `${path}["a.b"]`, { key: sample(shape.of), "a.b": other }],
    ];
  }
  const value = typeof before === "boolean" ? !before : typeof before === "number" ? 2 : "other";
  return [["changed", "update", path, value]];
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
    const place = `${path}[0].${member}`;
    const { [member]: _, ...without } = element;
    const edits = changesOf(shape, element[member], place).map(([what, kind, at, value]): Edit => {
      const said = `an element's ${member} ${what}`;
      return [said, kind, at, [{ ...element, [member]: value }]];
    });
    if (required) return edits;
    return [...edits, [`an element's ${member} left out`, "none", place, [without]]];
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
    editsOf(name, field).map((edit) => [`${camel(name)} ${edit[0]}`, name, field, edit] as const),
  );

  test("every field has edits that show in the plugin's diff", () => {
    const shown = new Set(cases.flatMap(([, name, , [, kind]]) => (kind === "none" ? [] : [name])));
    expect([...shown]).toEqual(kind.inputs.map(([name]) => name));
  });

  test("the plugin's diff of an unchanged program is empty", async () => {
    expect(await diffOf(plugin, kind, outputsOf(unprotected), unprotected)).toEqual({});
  });

  test.each(cases)("the plugin's diff shows %s", async (_title, name, field, edit) => {
    const [, sort, path, value, from] = edit;
    const olds = {
      ...unprotected,
      ...(name === "deletion_protection" && { deletionProtection: true }),
      ...(from && { [camel(name)]: from.value }),
    };
    const news = { ...olds, [camel(name)]: value };
    const { changes, ...answer } = await diffAnswerOf(plugin, kind, outputsOf(olds), news);
    const replaces = field.immutable || (kind.reading.replaceOn ?? []).includes(name);
    const shown = sort === "none" ? [] : [camel(name)];
    expect(changes).toBe(sort === "none" ? DIFF_NONE : DIFF_SOME);
    expect(answer).toEqual({
      paths: sort === "none" ? {} : { [path]: diffKinds[sort][replaces ? 1 : 0] },
      diffs: shown,
      replaces: replaces ? shown : [],
      // The new object is created first, because names need not be unique.
      deleteBeforeReplace: false,
    });
  });
});

const instance = kindOf("instance");
const diffed = (olds: Properties, news: Properties) => diffAnswerOf(plugin, instance, olds, news);

describe("the plugin's diff fails, and plans no replacement, when the engine refuses the change:", () => {
  const args = { name: "erp", serverId: "srv_1", deletionProtection: true };

  test.each([
    ["a protected instance moves to another server", true],
    ["its protection is turned off together with the move", false],
  ])("%s", async (_, deletionProtection) => {
    const moved = { ...args, serverId: "srv_2", deletionProtection };
    await expect(diffed(outputsOf(args), moved)).rejects.toThrow(
      /^deletionProtection prevents replacing instance id_1/,
    );
  });

  test("the state belongs to another account", async () => {
    const state = JSON.parse(String(outputsOf(args)["__state"])) as Properties;
    const account = { baseUrl: "https://other.example.com/v1", environment: "test" };
    const olds = { ...outputsOf(args), __state: JSON.stringify({ ...state, account }) };
    await expect(diffed(olds, { ...args, name: "new" })).rejects.toThrow(
      /Instance id_1 belongs to the account at https:\/\/other\.example\.com\/v1/,
    );
  });
});

test("the plugin's diff replaces an instance that is not protected when it moves to another server", async () => {
  const args = { name: "erp", serverId: "srv_1", deletionProtection: false };
  const { replaces } = await diffed(outputsOf(args), { ...args, serverId: "srv_2" });
  expect(replaces).toEqual(["serverId"]);
});
