/** Reading without managing: lists that a program narrows, one object, the key in use. */
import type { CallOptions, Core } from "../../client";
import {
  authView,
  InvalidInput,
  resources,
  type AuthView,
  type ResourceName,
  type ServiceRecord,
  type Values,
} from "../../contract";
import { LIMIT, MOST_RECENT, selectorsOf, type LookupForm } from "../../resources";
import { checkSelection } from "./check";
import { nothingMatches, severalMatch } from "./refusals";
import { firstOfLine, newestFirst, selected, type Selection } from "./select";

/**
 * Lookups at a program's start share a walk. One that waited until another process of the same run
 * created an object still sees it.
 */
const LOOKUP_MAX_AGE_MS = 1_000;

/**
 * Lists that the service narrows are not shared. A program with more lookups than this reads the
 * whole list instead, once for all of them.
 */
const NARROWED_MAX = 10;

/** The lookups of one process. */
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
    const found = selection.wanted[MOST_RECENT] === true ? matching : firstOfLine(matching);
    const [first] = found;
    if (first === undefined) throw nothingMatches(selection, candidates);
    if (found.length > 1 && selection.wanted[MOST_RECENT] !== true) {
      throw severalMatch(selection, found);
    }
    return first;
  }

  /** What the key in use is and may do; never the key itself. */
  async auth(options: CallOptions = {}): Promise<AuthView> {
    return authView(await this.core.authTest(options));
  }

  /** Every record that may match, newest first: from the shared walk, or as the service narrows it. */
  private async candidates(selection: Selection, options: CallOptions): Promise<ServiceRecord[]> {
    const { name, wanted } = selection;
    const sent = selection.selectors.filter(({ sent: isSent }) => isSent);
    if (sent.length > 0 && !this.isShared(selection)) {
      const query = Object.fromEntries(
        sent.map((selector) => [selector.name, wanted[selector.name]]),
      );
      return newestFirst(await this.core.list(name, query, options));
    }
    const snapshot = await this.core.snapshot(name, { ...options, maxAgeMs: LOOKUP_MAX_AGE_MS });
    return newestFirst([...snapshot.records.values()]);
  }

  /** Whether a walk answers what the service could narrow, because many lookups of the list do so. */
  private isShared({ name, selectors }: Selection): boolean {
    if (selectors.some(({ by }) => by === "service")) return false;
    const count = this.narrowed.get(name) ?? 0;
    this.narrowed.set(name, count + 1);
    return count >= NARROWED_MAX;
  }
}

/** @throws InvalidInput before any call */
export function selectionOf(name: ResourceName, form: LookupForm, given: Values): Selection {
  const resource = resources[name];
  const { wanted, issues } = checkSelection(resource, form, given);
  if (issues.length > 0) throw new InvalidInput(name, issues);
  const selectors = selectorsOf(resource, form).filter((each) => Object.hasOwn(wanted, each.name));
  return { name, form, wanted, selectors };
}
