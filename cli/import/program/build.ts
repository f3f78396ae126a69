/** From the objects that are taken over to a program: places, and references in place of ids. */
import type { Account } from "../../../provider";
import type { Kind } from "../../../provider/resources";
import type { KnownObjects } from "../known/known";
import type { Candidate, KindInventory } from "./inventory";
import type { DeclaredName, Program, TakenObject } from "./model";
import { Names } from "./names";
import { valuesOf, type Refer } from "./values";

interface BuildContext {
  readonly account: Account;
  readonly known: KnownObjects;
  /** What the folder's own files declare. */
  readonly declared: readonly (readonly [kind: string, name: string])[];
  /** Whether one declaration makes all objects that are alike. */
  readonly inGroups: boolean;
}

/** Kinds come in the order of `inventories`: each after those that it refers to. */
export function buildProgram(
  inventories: readonly KindInventory[],
  { account, known, declared, inGroups }: BuildContext,
): Program {
  const own = new Map<string, DeclaredName>();
  const keyOf = (kind: string, id: string): string => `${kind} ${id}`;
  const there = new Set(declared.map(([kind, name]) => keyOf(kind, name)));
  const refer: Refer = (kind, id) => {
    const place = own.get(keyOf(kind, id));
    if (place) return place;
    const elsewhere = known.placeOf(kind, id);
    return elsewhere && there.has(keyOf(kind, elsewhere.name)) ? elsewhere : undefined;
  };
  const objects: TakenObject[] = [];
  for (const { kind, taken } of inventories) {
    const names = new Names(kind.name);
    for (const [of, name] of declared) if (of === kind.name) names.reserve(name);
    for (const { name } of known.places(kind.name)) names.reserve(name);
    const titleOf = (each: Candidate): string => each.name ?? describedBy(each, refer);
    const places = placesOf(taken, names, titleOf, inGroups);
    taken.forEach((candidate, index) => {
      const place = places[index];
      if (!place) return;
      for (const id of [candidate.id, ...candidate.aliases]) own.set(keyOf(kind.name, id), place);
      objects.push({
        kind,
        id: candidate.id,
        place,
        values: valuesOf(kind, candidate.inputs, refer),
        secrets: candidate.record.secrets,
      });
    });
  }
  return { account, objects };
}

/** A place for each object, in their order. */
function placesOf(
  candidates: readonly Candidate[],
  names: Names,
  titleOf: (candidate: Candidate) => string,
  inGroups: boolean,
): DeclaredName[] {
  const places = new Map<Candidate, DeclaredName>();
  for (const { stem, keys } of inGroups ? groupsOf(candidates, titleOf) : []) {
    const name = names.claim(stem);
    for (const [candidate, key] of keys) places.set(candidate, { name, key });
  }
  const single = candidates.filter((each) => !places.has(each));
  const own = names.claimAll(single.map(titleOf));
  single.forEach((each, index) => places.set(each, { name: own[index] ?? each.kind.name }));
  return candidates.flatMap((each) => places.get(each) ?? []);
}

/** What has no name is called after what it refers to, and after the day of its creation. */
function describedBy({ kind, inputs, record }: Candidate, refer: Refer): string {
  const [target] = targetsOf(kind, inputs).map(([of, id]) => {
    const place = refer(of, id);
    return place?.key ?? place?.name ?? id;
  });
  const { created_at: created } = record.fields;
  const day = typeof created === "string" ? created.slice(0, "2026-01-31".length) : "";
  return [target, day].filter(Boolean).join(" ");
}

const targetsOf = (kind: Kind, inputs: Candidate["inputs"]): [kind: string, id: string][] =>
  Object.entries(inputs).flatMap(([name, value]) => {
    const references = kind.fields[name]?.references;
    return references !== undefined && typeof value === "string" ? [[references, value]] : [];
  });

/** Fewer are easier to read one by one. */
const GROUP_SIZE_MIN = 3;

/**
 * Groups what has the same inputs and a name that differs in its number alone: the stem of their names,
 * and a key of each, which is unique in the group, whatever Unicode makes of them.
 */
function groupsOf(candidates: readonly Candidate[], titleOf: (candidate: Candidate) => string) {
  const stemFor = (candidate: Candidate): string => stemOf(titleOf(candidate));
  const numbered = candidates.filter((each) => stemFor(each) !== "");
  const alike = Map.groupBy(numbered, (each) =>
    JSON.stringify([stemFor(each), Object.keys(each.inputs), each.record.secrets]),
  );
  return [...alike.values()].flatMap((members) => {
    const [first] = members;
    const keys = keysOf(members, titleOf);
    return first && keys.size >= GROUP_SIZE_MIN ? [{ stem: stemFor(first), keys }] : [];
  });
}

/** `erp-12` → `erp`, `backup 2026-01-31` → `backup`. */
const stemOf = (title: string): string => title.replace(/(?:[\s_.-]*\d+)+\s*$/, "").trim();

/** The names, but those that several have: nothing would tell which of them such a key means. */
function keysOf(members: readonly Candidate[], titleOf: (candidate: Candidate) => string) {
  const named = Map.groupBy(members, (member) => titleOf(member).normalize("NFC"));
  const single = [...named].flatMap(([title, [only, ...more]]) =>
    only && more.length === 0 ? [[only, title] as const] : [],
  );
  return new Map(single);
}
