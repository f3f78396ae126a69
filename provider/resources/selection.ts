/** What lookups select by, derived from what the service lists; and which records they mean. */
import * as z from "zod";
import { composed, dateBound, InvalidInput, issueAt, onceFor, parse, resources } from "../contract";
import { shapeOf } from "../contract";
import type { Field, InputIssue, Resource, ResourceName, ServiceRecord, Values } from "../contract";
import { nearest, noun } from "../messages";
import { present, UNKNOWN } from "./inputs";

/** One object, or a list of them. */
export type LookupForm = "one" | "many";

/** One thing that a lookup can be narrowed by. */
export interface Selector {
  /** Under the contract's naming; a face renames it as it renames fields. */
  readonly name: string;
  readonly schema: z.ZodType;
  readonly doc: string;
  /**
   * `equal` compares a field, `bound` compares the time of creation, `service` is understood by the
   * service alone, and `pick` chooses among those that match.
   */
  readonly by: "equal" | "bound" | "service" | "pick";
  /** Whether the list takes it as a query parameter that is worth sending. */
  readonly sent: boolean;
}

const after = "created_after";
const before = "created_before";
/** Takes the newest of several. */
export const MOST_RECENT = "most_recent";
/** The number of records at most. */
export const LIMIT = "limit";

const selectors = onceFor((resource: Resource): Record<LookupForm, readonly Selector[]> => ({
  one: derive(resource, "one"),
  many: derive(resource, "many"),
}));

export const selectorsOf = (resource: Resource, form: LookupForm): readonly Selector[] =>
  selectors(resource)[form];

function derive(resource: Resource, form: LookupForm): readonly Selector[] {
  const things = noun(resource.plural);
  const fields = Object.entries(resource.fields)
    .filter(([name, field]) => isComparable(field) && (form === "one" || name !== "id"))
    .map(([name, { schema, filter }]): Selector => {
      const isTheirs = filter === "service";
      const isFlag = shapeOf(schema).kind === "boolean";
      const doc = `Only ${things} with ${isFlag ? "the same value here" : `this ${noun(name)}`}.`;
      return { name, schema, doc, by: isTheirs ? "service" : "equal", sent: isTheirs };
    });
  const bounds = [after, before].map((name): Selector => {
    const own = resource.filters?.[name];
    const doc =
      own?.doc ??
      `Only ${things} created ${name === after ? "after" : "before"} this time; a bare date means 00:00Z.`;
    return { name, schema: own?.schema ?? dateBound, doc, by: "bound", sent: own !== undefined };
  });
  const filters = Object.entries(resource.filters ?? {})
    .filter(([name]) => name !== after && name !== before)
    .map(([name, { schema, doc }]): Selector => ({ name, schema, doc, by: "service", sent: true }));
  const others = [...bounds, ...filters, form === "one" ? mostRecent : limit];
  const clash = others.find(({ name }) => Object.hasOwn(resource.fields, name));
  if (clash) {
    throw new Error(`${resource.name}: the field ${clash.name} has the name of a selector`);
  }
  return [...fields, ...others];
}

const mostRecent: Selector = {
  name: MOST_RECENT,
  schema: z.boolean(),
  doc: "Whether to take the most recently created of several that match, instead of failing; default false.",
  by: "pick",
  sent: false,
};

const limit: Selector = {
  name: LIMIT,
  schema: z.int().min(1),
  doc: "The number of records at most; older ones are left out. Default: all.",
  by: "pick",
  sent: false,
};

/** Text and flags can be compared; a time is one in any zone, and `created_after` selects by it. */
function isComparable({ schema, secret }: Field): boolean {
  const { kind } = shapeOf(schema);
  return secret !== true && !isTime(schema) && (kind === "string" || kind === "boolean");
}

const isTime = (schema: z.ZodType): boolean =>
  z.toJSONSchema(schema, { io: "input" }).format === "date-time";

interface CheckedSelection {
  readonly wanted: Values;
  readonly issues: readonly InputIssue[];
}

/** Before any call. Unknown values pass; members that are undefined or null count as left out. */
export function checkSelection(
  resource: Resource,
  form: LookupForm,
  given: Values,
): CheckedSelection {
  const selectors = selectorsOf(resource, form);
  const wanted = present(given);
  const issues = Object.entries(wanted).flatMap(([name, value]): readonly InputIssue[] => {
    const selector = selectors.find((each) => each.name === name);
    if (!selector) {
      const known = selectors.map((each) => each.name);
      return [issueAt([name], "unknown_filter", { known, near: nearest(name, known) })];
    }
    const parsed = value === UNKNOWN ? undefined : parse(selector.schema, value);
    if (!parsed || parsed.success) return [];
    return parsed.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
  });
  const choice = selectors.filter(({ by }) => by !== "pick").map(({ name }) => name);
  const isAimless = form === "one" && choice.every((name) => wanted[name] === undefined);
  return isAimless && issues.length === 0
    ? { wanted, issues: [issueAt([], "nothing_to_find", { choice })] }
    : { wanted, issues };
}

export interface Selection {
  readonly name: ResourceName;
  readonly wanted: Values;
  /** What it is narrowed by, in the order of the definitions. */
  readonly selectors: readonly Selector[];
}

/** @throws InvalidInput before any call */
export function selectionOf(name: ResourceName, form: LookupForm, given: Values): Selection {
  const resource = resources[name];
  const { wanted, issues } = checkSelection(resource, form, given);
  if (issues.length > 0) throw new InvalidInput(name, issues);
  const selectors = selectorsOf(resource, form).filter((each) => Object.hasOwn(wanted, each.name));
  return { name, wanted, selectors };
}

/** The records that match every selector that is not the service's alone to understand. */
export const selected = (
  { selectors, wanted }: Pick<Selection, "selectors" | "wanted">,
  records: readonly ServiceRecord[],
): ServiceRecord[] =>
  records.filter((record) =>
    selectors.every((selector) => matches(selector, wanted[selector.name], record)),
  );

function matches({ name, by }: Selector, wanted: unknown, { fields }: ServiceRecord): boolean {
  if (by === "equal") return composed(fields[name]) === composed(wanted);
  if (by !== "bound") return true;
  // Moments, because equal ones are written in different zones and with different precision. A
  // record without one is neither before nor after.
  const [created, bound] = [Date.parse(String(fields["created_at"])), Date.parse(String(wanted))];
  return name === "created_after" ? created > bound : created < bound;
}
