/** Reading without managing: lists that a program narrows, one object, the key in use. */
import type { CallOptions, Core } from "../../client";
import { authView, resources } from "../../contract";
import type { AuthView, ResourceName, ServiceRecord, Values } from "../../contract";
import { LIMIT, MOST_RECENT, selected, selectionOf, selectorsOf } from "../../resources";
import type { Selection } from "../../resources";
import { engineError, type EngineError } from "../errors";
import { byAge } from "../values/time";

/** Lookups at a start share a walk; one that waited for another process's create still sees it. */
const LOOKUP_MAX_AGE_MS = 1_000;

/** Narrowed lists are not shared: with more lookups, the whole list is read, once for all. */
const NARROWED_MAX = 10;

export class Lookups {
  private readonly narrowed = new Map<ResourceName, number>();

  constructor(private readonly core: Core) {}

  /** All records that match, newest first. */
  async list(
    name: ResourceName,
    given: Values,
    options: CallOptions = {},
  ): Promise<ServiceRecord[]> {
    const selection = selectionOf(name, "many", given);
    const matching = selected(selection, await this.candidates(selection, options));
    const limit = selection.wanted[LIMIT];
    return typeof limit === "number" ? matching.slice(0, limit) : matching;
  }

  /** The one record that matches, or the newest; none and several are errors. */
  async one(name: ResourceName, given: Values, options: CallOptions = {}): Promise<ServiceRecord> {
    const selection = selectionOf(name, "one", given);
    const candidates = await this.candidates(selection, options);
    const matching = selected(selection, candidates);
    const [newest] = matching;
    if (newest === undefined) throw nothingMatches(selection, candidates);
    if (matching.length === 1 || selection.wanted[MOST_RECENT] === true) return newest;
    // Until the old key of a rotation expires, two have its name: the first, whose id stays, is meant.
    const lines = new Set(matching.map(({ id, fields }) => fields["lineage_id"] ?? id));
    if (lines.size > 1) throw severalMatch(selection, matching);
    return matching.at(-1) ?? newest;
  }

  /** One object by its id; gone only where that is proved. */
  read(...asked: Parameters<Core["read"]>): ReturnType<Core["read"]> {
    return this.core.read(...asked);
  }

  /** A whole list, and whether it was read whole. */
  snapshot(...asked: Parameters<Core["snapshot"]>): ReturnType<Core["snapshot"]> {
    return this.core.snapshot(...asked);
  }

  /** What the key in use is and may do; never the key itself. */
  async auth(options: CallOptions = {}): Promise<AuthView> {
    return (await this.timedAuth(options)).auth;
  }

  /** The same with the service's own time, which the ends of its windows are measured by. */
  async timedAuth(options: CallOptions) {
    const answer = await this.core.authTest(options);
    return { auth: authView(answer), serviceTime: answer.meta?.timestamp ?? "" };
  }

  /**
   * Every record that may match, newest first; of equally old ones the last. Programs delete what a
   * list lacks, so that one which may lack something is refused: all but the object of an id.
   */
  private async candidates(selection: Selection, options: CallOptions): Promise<ServiceRecord[]> {
    const { name, wanted } = selection;
    const sent = selection.selectors.filter((each) => each.sent);
    const query = Object.fromEntries(sent.map((each) => [each.name, wanted[each.name]]));
    const { records, gap } = await (sent.length > 0 && !this.isShared(selection)
      ? this.core.list(name, query, options)
      : this.core.snapshot(name, { ...options, maxAgeMs: LOOKUP_MAX_AGE_MS }));
    const why = records.has(String(wanted["id"])) ? undefined : gap();
    if (why && why.code !== "unproved_absence") throw why;
    return byAge([...records.values()]).reverse();
  }

  /** Whether a walk answers what the service could narrow, because many lookups of the list do so. */
  private isShared({ name, selectors }: Selection): boolean {
    if (selectors.some(({ by }) => by === "service")) return false;
    const count = this.narrowed.get(name) ?? 0;
    this.narrowed.set(name, count + 1);
    return count >= NARROWED_MAX;
  }
}

/** Nothing matches; where one criterion alone is to blame, what matches the others. */
function nothingMatches(selection: Selection, candidates: readonly ServiceRecord[]): EngineError {
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
function severalMatch(selection: Selection, found: readonly ServiceRecord[]): EngineError {
  const { name, wanted } = selection;
  const resource = resources[name];
  const narrow = selectorsOf(resource, "one")
    .filter(({ by, name: selector }) => {
      const field = by === "bound" ? "created_at" : selector;
      const isOpen = by !== "pick" && wanted[selector] === undefined;
      return isOpen && new Set(found.map(({ fields }) => fields[field])).size > 1;
    })
    .map((each) => each.name);
  const ids = found.map(({ id }) => id);
  const criteria = criteriaOf(selection);
  const parts = { kind: name, plural: resource.plural, criteria, ids, narrow };
  return engineError("several_match", { ...parts, mostRecent: MOST_RECENT }, placeOf(selection));
}

const criteriaOf = ({ selectors, wanted }: Selection): (readonly [string, unknown])[] =>
  selectors.filter(({ by }) => by !== "pick").map(({ name }) => [name, wanted[name]]);

const placeOf = ({ selectors: [first] }: Selection): { readonly path: readonly string[] } => ({
  path: first ? [first.name] : [],
});
