/** Whether the service has what the program configures, and where not. */
import { canonicalJson, isRecord, ownMember, type Field } from "../../contract";
import { hasUnknown, UNKNOWN } from "../../resources";
import type { Change, Path } from "../types";

type Sets = Pick<Field, "unordered" | "key">;

/**
 * Whether `actual` satisfies `wanted`: objects may hold more than was asked for, arrays may not;
 * unordered arrays in any order. A wanted null is satisfied by an absent value, nothing by an
 * unknown one.
 */
export function covers(wanted: unknown, actual: unknown, sets: Sets = {}): boolean {
  if (wanted === null || wanted === undefined) return actual === null || actual === undefined;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual) || wanted.length !== actual.length) return false;
    return paired(wanted, actual, sets).every(([next, now]) => covers(next, now));
  }
  if (isRecord(wanted)) {
    if (!isRecord(actual)) return false;
    return Object.entries(wanted).every(([key, next]) => covers(next, ownMember(actual, key)));
  }
  return wanted !== UNKNOWN && wanted === actual; // JSON knows no -0, so 0 is what comes back for it.
}

type Pair = [wanted: unknown, actual: unknown];

/** Pairs elements by place, or else by what identifies them; one alone is paired with undefined. */
function paired(wanted: readonly unknown[], actual: readonly unknown[], sets: Sets): Pair[] {
  if (!sets.unordered) return wanted.map((element, index) => [element, actual[index]]);
  const { key } = sets;
  const idOf = (element: unknown): string =>
    canonicalJson(key !== undefined && isRecord(element) ? element[key] : element);
  const left = new Map<string, unknown[]>();
  for (const element of actual) {
    const id = idOf(element);
    left.set(id, [...(left.get(id) ?? []), element]);
  }
  return wanted.map((element) => [element, left.get(idOf(element))?.shift()]);
}

export type Sketch = Pick<Change, "path" | "kind">;

/** Where `next` differs from `now`, as deep as paths make sense; empty exactly where it does not. */
export function differences(path: Path, next: unknown, now: unknown, sets: Sets = {}): Sketch[] {
  if (covers(next, now, sets)) return [];
  if (next === undefined || next === null) return [{ path, kind: "delete" }];
  if (now === undefined || now === null) return [{ path, kind: "add" }];
  const inside: Sketch[] = [];
  if (Array.isArray(next) && Array.isArray(now)) inside.push(...inList(path, next, now, sets));
  else if (isRecord(next) && isRecord(now)) {
    // Keys that only `now` has are not configured, and not a difference.
    for (const [key, value] of Object.entries(next)) {
      inside.push(...differences([...path, key], value, ownMember(now, key)));
    }
  }
  // Lists whose lengths differ by nulls alone have no element to point at.
  return inside.length > 0 ? inside : [{ path, kind: "update" }];
}

function inList(
  path: Path,
  next: readonly unknown[],
  now: readonly unknown[],
  sets: Sets,
): Sketch[] {
  if (!sets.unordered) {
    const length = Math.max(next.length, now.length);
    const at = (index: number) => differences([...path, index], next[index], now[index]);
    return Array.from({ length }, (_, index) => at(index)).flat();
  }
  if (hasUnknown(next)) return [];
  const changed = paired(next, now, sets).flatMap(([wanted, actual], index) =>
    differences([...path, index], wanted, actual),
  );
  const removed = paired(now, next, sets).flatMap(([, wanted], index): Sketch[] =>
    wanted === undefined ? [{ path: [...path, index], kind: "delete" }] : [],
  );
  return [...changed, ...removed];
}
