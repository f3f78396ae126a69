/** Objects of the account as imports would have them, for hosts that take them one after the other. */
import { walkQuery, type FetchPage, type Page } from "../../client";
import { PER_PAGE_MAX, resources, type ServiceRecord, type Values } from "../../contract";
import { message, type Message } from "../../messages";
import { engineError } from "../errors";
import { afterImport } from "../values/state";
import { isServed, type Operation, type Served } from "../service/operation";
import { keyState } from "../verbs/key";
import { byAge, createdMs } from "../values/time";
import type { OperationOptions, State } from "../types";
import { selected, selectionOf, type Selection } from "../../resources";

export interface ListOptions extends OperationOptions {
  /** How many are wanted at most; 0: all. */
  readonly limit: number;
}

/** An object, and what is to be said with it; or, at the end, only the latter. */
export interface Listed {
  /** Without any secret. */
  readonly state?: State;
  readonly notes: readonly Message[];
}

/**
 * All that match, oldest first; of a key's line the newest key, and none that has expired. The next
 * page is asked for when the last object was taken, and none after the limit; keys are read first.
 * @throws InvalidInput before any call
 */
export async function* listObjects(
  op: Operation,
  given: Values,
  limit: number,
): AsyncGenerator<Listed, void> {
  if (!isServed(op)) throw engineError("not_importable", { kind: op.kind.name });
  const selection = selectionOf(op.kind.resource, "many", given);
  const { plural } = resources[op.kind.resource];
  const isKey = op.kind.reading.rotates === "own-key";
  const isLocal = selection.selectors.some(({ sent }) => !sent);
  const pages = freshPages(pagesOf(op, selection));
  let count = 0;
  for await (const page of isKey ? workingKeys(op, pages) : pages) {
    const matching = selected(selection, page.records);
    for (const [index, record] of matching.entries()) {
      count += 1;
      const isLast = count === limit;
      const isMore = index < matching.length - 1;
      const notes =
        isLast && (isMore || page.hasNext)
          ? [message("list_limited", { plural, limit, isSure: isMore || !isLocal })]
          : [];
      yield { state: await stateOf(op, record), notes };
      if (isLast) return;
    }
    if (page.mayLack) yield { notes: [message("list_may_lack", { plural })] };
  }
}

function pagesOf(
  { core, kind, resource, calls }: Operation<Served>,
  { selectors, wanted }: Selection,
): FetchPage {
  const sent = selectors.flatMap(({ name, sent: isSent }) =>
    isSent ? [[resource.wireNames[name] ?? name, String(wanted[name])] as const] : [],
  );
  return core.pages(kind.resource, { ...Object.fromEntries(sent), ...walkQuery(resource) }, calls);
}

/** A page of the key that is managed of each line: keys are few, and only the last page decides. */
async function* workingKeys(
  { clock }: Operation,
  pages: AsyncIterable<Fresh>,
): AsyncGenerator<Fresh, void> {
  const all: ServiceRecord[] = [];
  let last: Fresh | undefined;
  for await (last of pages) all.push(...last.records);
  if (!last) return;
  const nowMs = Date.parse(last.serviceTime ?? "") || clock.wallMs();
  const newest = new Map(byAge(all).map((key) => [key.fields["lineage_id"] ?? key.id, key]));
  const hasExpired = ({ fields }: ServiceRecord): boolean =>
    Date.parse(String(fields["expires_at"])) <= nowMs;
  const records = [...newest.values()].filter((key) => !hasExpired(key));
  yield { ...last, records, hasNext: false };
}

async function stateOf(op: Operation<Served>, record: ServiceRecord): Promise<State> {
  const open = Object.entries(record.fields).filter(
    ([name]) => op.kind.fields[name]?.secret !== true,
  );
  const shown = { ...record, fields: Object.fromEntries(open) };
  const state = { id: record.id, ...afterImport(op, shown) };
  const seen = { record: shown, serviceTime: undefined };
  return op.kind.reading.rotates === "own-key" ? keyState(op, state, seen, {}) : state;
}

/** What a page shows for the first time. */
interface Fresh {
  readonly records: readonly ServiceRecord[];
  readonly hasNext: boolean;
  /** The service's own time, ISO 8601, where it gave one. */
  readonly serviceTime: string | undefined;
  /** Something may be missing from all that was shown: this page, which is empty, is the last. */
  readonly mayLack?: true;
}

/**
 * Every page of an ascending list. What others delete moves the rest towards pages that were read
 * already, so that some may be skipped: where the counts do not add up, the list is read backwards as
 * well, which skips none.
 */
async function* freshPages(fetch: FetchPage): AsyncGenerator<Fresh, void> {
  const seen = new Set<string>();
  const fresh = (page: Page, records = page.records): Fresh => {
    const unseen = records.filter(({ id }) => !seen.has(id));
    for (const { id } of [...page.records, ...page.odd]) seen.add(id ?? `${page.number}`);
    const { serviceTime, pagination } = page;
    return { records: unseen, hasNext: pagination?.has_next ?? page.size > 0, serviceTime };
  };
  let page = await fetch(1, PER_PAGE_MAX);
  const begun = { ms: Date.parse(page.serviceTime ?? ""), total: totalOf(page) };
  let createdCount = 0;
  let hasShrunk = false;
  for (;;) {
    const shown = fresh(page);
    createdCount += shown.records.filter((record) => createdMs(record) > begun.ms).length;
    // A service that takes no notice of `page` would answer the same for ever.
    if (!page.pagination && shown.records.length === 0) return;
    yield shown;
    if (!shown.hasNext) break;
    const next = await fetch(page.number + 1, page.pagination?.per_page ?? PER_PAGE_MAX);
    hasShrunk ||= totalOf(next) < totalOf(page);
    page = next;
  }
  const total = totalOf(page);
  // As many may have been deleted as were created: only the time of the new ones shows it.
  if (!hasShrunk && seen.size >= total && createdCount <= total - begun.total) return;
  const again = new Set<string>();
  let fewest = Number.POSITIVE_INFINITY;
  for (let number = lastPage(page); number >= 1; number -= 1) {
    page = await fetch(number, page.pagination?.per_page ?? PER_PAGE_MAX);
    for (const { id } of [...page.records, ...page.odd]) again.add(id ?? `${number}`);
    fewest = Math.min(fewest, totalOf(page));
    yield { ...fresh(page, [...page.records].reverse()), hasNext: number > 1 };
  }
  if (again.size < fewest) yield { ...fresh(page, []), hasNext: false, mayLack: true };
}

const totalOf = ({ pagination }: Page): number => pagination?.total_items ?? 0;

const lastPage = ({ number, pagination }: Page): number => pagination?.total_pages ?? number;
