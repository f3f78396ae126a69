/** What a plan changes, value by value, so that two plans can be held against each other. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { isRecord } from "../../provider/contract";
import { marked, UNKNOWN_VALUE } from "../../provider/plans";

/** One object that changes. Values hold secrets: they are compared, and never shown. */
export interface Change {
  /** As the engine names the object. */
  readonly address: string;
  readonly does: string;
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/** Before and after; what is known after the apply only is marked in `after`. */
interface FieldValue {
  readonly before: unknown;
  readonly after: unknown;
}

const values = z.record(z.string(), z.unknown()).nullish();
const terraform = z.object({
  resource_changes: z
    .array(
      z.object({
        address: z.string(),
        deposed: z.string().optional(),
        mode: z.string().optional(),
        change: z.object({
          actions: z.array(z.string()),
          before: values,
          after: values,
          after_unknown: z.unknown().optional(),
          importing: z.unknown().optional(),
        }),
      }),
    )
    .default([]),
});
const state = z.object({ id: z.string().optional(), inputs: values }).nullish();
const pulumi = z.object({
  steps: z.array(z.object({ op: z.string(), urn: z.string(), oldState: state, newState: state })),
});

/** What stands for a value that Pulumi does not know yet. */
const UNKNOWN: ReadonlySet<unknown> = new Set([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "output<string>",
]);
/** Steps that change neither the service nor who manages an object. */
const READING = new Set(["same", "refresh", "read", "read-replacement", "read-discard"]);

/** Every change of a plan in JSON. @param json of `terraform show -json` or `pulumi preview --json` */
export function changesOf(json: string): Change[] {
  const plan: unknown = JSON.parse(json);
  return isRecord(plan) && "format_version" in plan
    ? terraform.parse(plan).resource_changes.flatMap(ofTerraform)
    : pulumi.parse(plan).steps.flatMap(ofPulumi);
}

type Resource = z.output<typeof terraform>["resource_changes"][number];

function ofTerraform({ address, deposed, mode, change }: Resource): Change[] {
  const { actions, before, after, after_unknown: unknown, importing } = change;
  const isChange = actions.some((action) => action !== "no-op" && action !== "read");
  if (mode === "data" || (!isChange && !isRecord(importing))) return [];
  const does = isRecord(importing) ? `import, ${actions.join(", ")}` : actions.join(", ");
  const place = deposed === undefined ? address : `${address} (deposed ${deposed})`;
  // What is lost is one object; its other values may have changed since, and nobody keeps them.
  const isLost = (after ?? null) === null;
  const fields = isLost
    ? { id: { before: before?.["id"], after: undefined } }
    : differing(before ?? {}, recordOf(marked(after, unknown, UNKNOWN_VALUE)));
  return [{ address: place, does, fields }];
}

type Step = z.output<typeof pulumi>["steps"][number];

function ofPulumi({ op, urn, oldState, newState }: Step): Change[] {
  if (READING.has(op)) return [];
  const fields =
    newState && !op.startsWith("delete")
      ? differing(oldState?.inputs ?? {}, recordOf(withUnknown(newState.inputs)))
      : { id: { before: oldState?.id, after: undefined } };
  return [{ address: urn, does: op, fields }];
}

type Values = Readonly<Record<string, unknown>>;

const recordOf = (value: unknown): Values => (isRecord(value) ? value : {});

/** Pulumi's mark of an unknown value, at any depth, as ours. */
function withUnknown(value: unknown): unknown {
  if (UNKNOWN.has(value)) return UNKNOWN_VALUE;
  if (Array.isArray(value)) return value.map(withUnknown);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withUnknown(each)]));
}

function differing(before: Values, after: Values): Change["fields"] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names
      .filter((name) => !isSame(before[name], after[name]))
      .map((name) => [name, { before: before[name], after: after[name] }]),
  );
}

/** Nothing and null are the same. */
const isSame = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(one ?? null, other ?? null);

/**
 * Addresses at which a plan does something else than what was reviewed. A value that was unknown in
 * the review may be anything.
 * @param isRest whether the plan may do less, because a part of it was done already
 */
export function differences(
  reviewed: readonly Change[],
  now: readonly Change[],
  isRest: boolean,
): string[] {
  const known = new Map(reviewed.map((change) => [keyOf(change), change]));
  const others = now.filter((change) => !covers(known.get(keyOf(change)), change, isRest));
  const planned = new Set(now.map(keyOf));
  const missing = isRest ? [] : reviewed.filter((change) => !planned.has(keyOf(change)));
  return [...new Set([...others, ...missing].map(({ address }) => address))];
}

const keyOf = ({ address, does }: Change): string => JSON.stringify([address, does]);

function covers(reviewed: Change | undefined, now: Change, isRest: boolean): boolean {
  if (reviewed === undefined) return false;
  const isCovered = Object.entries(now.fields).every(([name, { before, after }]) => {
    const old = reviewed.fields[name];
    if (old?.after === UNKNOWN_VALUE) return true;
    return old !== undefined && isSame(old.before, before) && fits(old.after, after);
  });
  const isWhole = Object.entries(reviewed.fields).every(
    ([name, { after }]) => after === UNKNOWN_VALUE || now.fields[name] !== undefined,
  );
  return isCovered && (isRest || isWhole);
}

/** Whether a value is what was reviewed. What was unknown then may be anything. */
function fits(reviewed: unknown, now: unknown): boolean {
  if (reviewed === UNKNOWN_VALUE) return true;
  if (Array.isArray(reviewed) && Array.isArray(now)) {
    return reviewed.length === now.length && reviewed.every((each, at) => fits(each, now[at]));
  }
  if (!isRecord(reviewed) || !isRecord(now)) return isSame(reviewed, now);
  const names = [...new Set([...Object.keys(reviewed), ...Object.keys(now)])];
  return names.every((name) => fits(reviewed[name], now[name]));
}
