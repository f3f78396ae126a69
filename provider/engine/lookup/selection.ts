/** What a lookup is narrowed by, and which records it means. */
import {
  InvalidInput,
  issueAt,
  parse,
  resources,
  type InputIssue,
  type Resource,
  type ResourceName,
  type ServiceRecord,
  type Values,
} from "../../contract";
import { selectorsOf, type LookupForm, type Selector } from "../../resources";
import { nearest } from "../../messages";
import { present, UNKNOWN } from "../values/compare";

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
  if (by === "equal") return fields[name] === wanted;
  if (by !== "bound") return true;
  // Moments, because equal ones are written in different zones and with different precision. A
  // record without one is neither before nor after.
  const [created, bound] = [Date.parse(String(fields["created_at"])), Date.parse(String(wanted))];
  return name === "created_after" ? created > bound : created < bound;
}
