/** A list read page by page, and no further than somebody takes what is on it. */
import type { FetchPage, Page } from "../../client";
import { PER_PAGE_MAX, type ServiceRecord } from "../../contract";
import { createdMs } from "../values/age";

/** What a page shows for the first time. */
export interface Fresh {
  readonly records: readonly ServiceRecord[];
  /** Whether pages follow it. */
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
export async function* freshPages(fetch: FetchPage): AsyncGenerator<Fresh, void> {
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
