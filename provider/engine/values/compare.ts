/** Whether the service has what the program configures, and where it differs. */
import { canonicalJson, isRecord, ownMember, type Field } from "../../contract";
import type { Change, Path } from "../types";
import { hasUnknown, isUnknown } from "./unknown";

type Sets = Pick<Field, "unordered" | "key">;

/**
 * Whether `actual` satisfies `wanted`: objects may hold more than was asked for, arrays may not;
 * unordered arrays in any order. A wanted null is satisfied by an absent value.
 */
export function covers(wanted: unknown, actual: unknown, sets: Sets = {}): boolean {
  if (isUnknown(wanted)) return false;
  if (wanted === null || wanted === undefined) return actual === null || actual === undefined;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual) || wanted.length !== actual.length) return false;
    const pairs = sets.unordered ? paired(wanted, actual, sets.key) : zip(wanted, actual);
    return pairs.every(([next, now]) => covers(next, now));
  }
  if (isRecord(wanted)) {
    if (!isRecord(actual)) return false;
    return Object.entries(wanted).every(([key, next]) => covers(next, ownMember(actual, key)));
  }
  return wanted === actual; // JSON knows no -0, so 0 is what comes back for it.
}

const zip = (a: readonly unknown[], b: readonly unknown[]): [unknown, unknown][] =>
  a.map((element, index) => [element, b[index]]);

/** What identifies an element of an unordered array. */
const keyOf = (element: unknown, key: string | undefined): string =>
  key !== undefined && isRecord(element) ? canonicalJson(element[key]) : canonicalJson(element);

/** Pairs elements by key; one without a partner is paired with undefined. */
function paired(
  wanted: readonly unknown[],
  actual: readonly unknown[],
  key: string | undefined,
): [unknown, unknown][] {
  const left = new Map<string, unknown[]>();
  for (const element of actual) {
    const id = keyOf(element, key);
    left.set(id, [...(left.get(id) ?? []), element]);
  }
  return wanted.map((element) => [element, left.get(keyOf(element, key))?.shift()]);
}

type Sketch = Pick<Change, "path" | "kind">;

/** Where `next` differs from `now`, as deep as paths make sense; empty exactly where it does not. */
export function differences(path: Path, next: unknown, now: unknown, sets: Sets = {}): Sketch[] {
  if (covers(next, now, sets)) return [];
  const sketches = within(path, next, now, sets);
  // Lists whose lengths differ by nulls alone have no element to point at.
  return sketches.length > 0 ? sketches : [{ path, kind: "update" }];
}

function within(path: Path, next: unknown, now: unknown, sets: Sets): Sketch[] {
  if (now === undefined || now === null) {
    return next === undefined || next === null ? [] : [{ path, kind: "add" }];
  }
  if (next === undefined || next === null) return [{ path, kind: "delete" }];
  if (isUnknown(next)) return [{ path, kind: "update" }];
  if (Array.isArray(next) && Array.isArray(now)) {
    return sets.unordered ? inSet(path, next, now, sets.key) : inList(path, next, now);
  }
  if (isRecord(next) && isRecord(now)) return inObject(path, next, now);
  return [{ path, kind: "update" }];
}

const inList = (path: Path, next: readonly unknown[], now: readonly unknown[]): Sketch[] =>
  Array.from({ length: Math.max(next.length, now.length) }, (_, index) =>
    differences([...path, index], next[index], now[index]),
  ).flat();

/** Keys that only `now` has are not configured, and not a difference. */
const inObject = (
  path: Path,
  next: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): Sketch[] =>
  Object.entries(next).flatMap(([key, value]) =>
    differences([...path, key], value, ownMember(now, key)),
  );

function inSet(
  path: Path,
  next: readonly unknown[],
  now: readonly unknown[],
  key: string | undefined,
): Sketch[] {
  if (hasUnknown(next)) return [{ path, kind: "update" }];
  const changed = paired(next, now, key).flatMap(([wanted, actual], index) =>
    differences([...path, index], wanted, actual),
  );
  const removed = paired(now, next, key).flatMap(([, wanted], index): Sketch[] =>
    wanted === undefined ? [{ path: [...path, index], kind: "delete" }] : [],
  );
  return [...changed, ...removed];
}
