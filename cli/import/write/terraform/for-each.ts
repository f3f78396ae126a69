/** One block for all objects that are alike: what they share is written once, the rest in `for_each`. */
import type { TakenObject, Value } from "../../program/model";
import type { Source } from "../source";
import {
  attributeLines,
  entryOf,
  itemsOf,
  keyed,
  quoted,
  quotedKey,
  sourceOfValue,
  type Attribute,
} from "./hcl";

export type Declaration = readonly [TakenObject, ...TakenObject[]];

export const isGroup = ([{ place }]: Declaration): boolean => place.key !== undefined;

const keyOf = ({ place }: TakenObject): string => place.key ?? "";

export function groupLines(objects: Declaration): string[] {
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

export const groupImportLines = (objects: Declaration, address: string): string[] => [
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
