/** Objects that are alike: one declaration makes them all, each under a key. */
import type { Candidate } from "./inventory";

/** Fewer are easier to read one by one. */
const GROUP_SIZE_MIN = 3;

/** Objects of one kind that differ in values alone. */
export interface Group {
  /** What their names begin with. */
  readonly stem: string;
  /** By object; unique in the group, whatever Unicode makes of them. */
  readonly keys: ReadonlyMap<Candidate, string>;
}

/** Groups what has the same inputs and a name that differs in its number alone: three at least. */
export function groupsOf(
  candidates: readonly Candidate[],
  titleOf: (candidate: Candidate) => string,
): Group[] {
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
function keysOf(
  members: readonly Candidate[],
  titleOf: (candidate: Candidate) => string,
): Map<Candidate, string> {
  const named = members.map((member) => [member, titleOf(member).normalize("NFC")] as const);
  const counts = new Map<string, number>();
  for (const [, title] of named) counts.set(title, (counts.get(title) ?? 0) + 1);
  return new Map(named.filter(([, title]) => counts.get(title) === 1));
}
