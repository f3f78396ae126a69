/** Recorded plans, made larger. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const RECORDED = join(__dirname, "recorded");

interface Recorded {
  readonly resource_changes?: readonly {
    readonly address: string;
    readonly change: { readonly actions: readonly string[] };
  }[];
  readonly steps?: readonly { readonly urn: string; readonly op: string }[];
}

/** A recorded plan, whose changes are repeated under other names until there are enough. */
export function manyChanges(name: string, count: number): string {
  const recorded = JSON.parse(readFileSync(join(RECORDED, `${name}.json`), "utf8")) as Recorded;
  const { resource_changes: resources = [], steps = [] } = recorded;
  const acting = resources.filter(({ change }) => change.actions[0] !== "no-op");
  const stepping = steps.filter(({ op }) => op !== "same" && op !== "refresh");
  return JSON.stringify({
    ...recorded,
    ...(acting.length > 0 && {
      resource_changes: repeated(acting, count, (one, round) => ({
        ...one,
        address: `${one.address}_${letters(round)}`,
      })),
    }),
    ...(stepping.length > 0 && {
      steps: repeated(stepping, count, (one, round) => ({
        ...one,
        urn: `${one.urn}-${letters(round)}`,
      })),
    }),
  });
}

/** Numbers would make them alike, and one line of them. */
export const letters = (number: number): string =>
  number.toString(36).replace(/\d/g, (digit) => "ABCDEFGHIJ"[Number(digit)] ?? "");

const repeated = <T>(
  list: readonly T[],
  count: number,
  rename: (one: T, round: number) => T,
): T[] =>
  Array.from({ length: count }, (_, index) => {
    const one = list[index % list.length];
    if (one === undefined) throw new Error("the recorded plan changes nothing");
    return rename(one, Math.floor(index / list.length));
  });
