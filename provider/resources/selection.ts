/** What lookups select by, derived from what the service lists and how it is described. */
import * as z from "zod";
import { dateBound, onceFor, shapeOf, type Field, type Resource } from "../contract";
import { noun } from "../messages";

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
