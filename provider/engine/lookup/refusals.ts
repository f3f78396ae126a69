/** Why a lookup of one object has no answer: what there is instead, and what would tell it apart. */
import { resources, type ServiceRecord } from "../../contract";
import { MOST_RECENT, selectorsOf } from "../../resources";
import { engineError, type EngineError } from "../errors";
import { selected, type Selection } from "./select";

/** Nothing matches; where one criterion alone is to blame, what matches the others. */
export function nothingMatches(
  selection: Selection,
  candidates: readonly ServiceRecord[],
): EngineError {
  const { name, selectors } = selection;
  const criteria = criteriaOf(selection);
  // What was created when, and in which state, is given up before whose it is.
  const near = [...(criteria.length > 1 ? selectors : [])]
    .reverse()
    .filter(({ by }) => by === "equal" || by === "bound")
    .map((without) => {
      const rest = selectors.filter((each) => each !== without);
      const found = selected({ ...selection, selectors: rest }, candidates);
      return { without: without.name, ids: found.map(({ id }) => id) };
    })
    .find(({ ids }) => ids.length > 0);
  return engineError("nothing_matches", { kind: name, criteria, near }, placeOf(selection));
}

/** Several match; what differs between them can tell them apart. */
export function severalMatch(selection: Selection, found: readonly ServiceRecord[]): EngineError {
  const { name, wanted } = selection;
  const resource = resources[name];
  const narrowed = selectorsOf(resource, "one")
    .filter((each) => each.by !== "pick" && wanted[each.name] === undefined)
    .map((each) => ({ name: each.name, field: each.by === "bound" ? "created_at" : each.name }))
    .filter(({ field }) => new Set(found.map(({ fields }) => fields[field])).size > 1);
  const parts = {
    kind: name,
    plural: resource.plural,
    criteria: criteriaOf(selection),
    ids: found.map(({ id }) => id),
    narrow: narrowed.map((each) => each.name),
    mostRecent: MOST_RECENT,
  };
  return engineError("several_match", parts, placeOf(selection));
}

const criteriaOf = ({ selectors, wanted }: Selection): (readonly [string, unknown])[] =>
  selectors
    .filter(({ by }) => by !== "pick")
    .map(({ name }): readonly [string, unknown] => [name, wanted[name]]);

const placeOf = ({ selectors: [first] }: Selection): { readonly path: readonly string[] } => ({
  path: first ? [first.name] : [],
});
