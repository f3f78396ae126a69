/** What a lookup is narrowed by, checked before any call. Unknown values pass, and are checked when known. */
import { issueAt, parse, type InputIssue, type Resource, type Values } from "../../contract";
import { selectorsOf, type LookupForm } from "../../resources";
import { nearest } from "../../messages";
import { UNKNOWN } from "../values/compare";

/** A lookup's selection without what was left out, and what is wrong with it. */
export interface CheckedSelection {
  readonly wanted: Values;
  readonly issues: readonly InputIssue[];
}

/** Checks a selection. Members that are undefined or null count as left out. */
export function checkSelection(
  resource: Resource,
  form: LookupForm,
  given: Values,
): CheckedSelection {
  const selectors = selectorsOf(resource, form);
  const wanted = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
  );
  const issues = Object.entries(wanted).flatMap(([name, value]): readonly InputIssue[] => {
    const selector = selectors.find((each) => each.name === name);
    if (!selector) {
      const known = selectors.map((each) => each.name);
      return [issueAt([name], "unknown_filter", { known, near: nearest(name, known) })];
    }
    if (value === UNKNOWN) return [];
    const parsed = parse(selector.schema, value);
    if (parsed.success) return [];
    return parsed.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
  });
  const criteria = selectors.filter(({ by }) => by !== "pick").map(({ name }) => name);
  const isAimless = form === "one" && criteria.every((name) => wanted[name] === undefined);
  return isAimless && issues.length === 0
    ? { wanted, issues: [issueAt([], "nothing_to_find", { choice: criteria })] }
    : { wanted, issues };
}
