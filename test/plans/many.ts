/** Recorded plans, made larger. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolName } from "../../cli/pipeline/tools/tool";

/** A plan that an engine made. */
export interface RecordedPlan {
  readonly tool: ToolName;
  /** `Terraform 1.15.0` */
  readonly engine: string;
  /** As it is printed, but for what nobody reads; undefined of a plan that failed. */
  readonly json?: unknown;
  /** What the engine shows to people, or says of its failure. */
  readonly text: string;
}

const RECORDED = join(__dirname, "recorded");

/** A recorded plan about `s[0]` and others of its kind, with this many of them in JSON and in words. */
export function alikeChanges({ json, text }: RecordedPlan, count: number): [string, string] {
  const { resource_changes: [first] = [], ...rest } = json as Recorded;
  const numbered = (of: string, index: number): string =>
    of.replaceAll("s[0]", `s[${index}]`).replaceAll("s-0", `s-${index}`);
  const one = JSON.stringify(first);
  const resource_changes = Array.from({ length: count }, (_, index): unknown =>
    JSON.parse(numbered(one, index)),
  );
  const [head = "", ...blocks] = text.split(/(?= {2}# erphost_server\.s\[)/);
  const [block = ""] = blocks[0]?.split(/(?<=\n {4}\}\n)/) ?? [];
  const words = resource_changes.map((__, index) => numbered(block, index)).join("\n");
  const tail = `\nPlan: 0 to add, ${count} to change, 0 to destroy.\n`;
  return [JSON.stringify({ ...rest, resource_changes }), `${head}${words}${tail}`];
}

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
