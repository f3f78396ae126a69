/** Two ways to read a whole list: fast, to find things, and backwards, to prove that one is gone. */
import type { OddRecord, ServiceRecord } from "../../contract";
import { message, type Message } from "../../messages";
import { ErpHostError } from "../errors";
import type { FetchPage, Page } from "../api";

/**
 * What a walk can prove about an object that it did not show:
 * - `still`: nothing changed while it went on, and the order is right.
 * - `moving`: things changed, and the order, being right, lets none be skipped.
 * - `tied`: the same, but of those that were made at one of the moments in `ties`, which are on two
 *   pages and may have changed places.
 * - `counted`: the order is not kept, and as many were seen as there are.
 * - `nothing`.
 */
export type Grade = "still" | "moving" | "tied" | "counted" | "nothing";

export interface Walk {
  readonly records: ReadonlyMap<string, ServiceRecord>;
  /** Records that can't be read, by id. */
  readonly odd: ReadonlyMap<string, OddRecord>;
  /** How many of them have no id. */
  readonly namelessCount: number;
  /** Monotonic milliseconds before the first page was asked for. */
  readonly begunAt: number;
  readonly serviceTime: string | undefined;
  readonly grade: Grade;
  /** Moments of creation, in milliseconds since 1970, that are on two pages. */
  readonly ties: ReadonlySet<number>;
  /** Why the grade is no better. */
  readonly problem: Message | undefined;
  readonly pageCount: number;
  /** What the service echoed; it may be less than was asked for. */
  readonly perPage: number;
}

interface FastWalk extends Walk {
  /** Whether as many were seen as page 1 said; `perhaps`: newer ones may stand for some of them. */
  readonly isWhole: "yes" | "perhaps" | "no";
}

export interface WalkSource {
  readonly fetchPage: FetchPage;
  readonly operation: string;
  readonly now: () => number;
  readonly perPage: number;
}

/** Pages of a list that are read at most: a million records. */
export const PAGES_MAX = 10_000;
/** Times that the last page is looked for while the list grows and shrinks. */
const LAST_PAGE_TRIES_MAX = 10;

const NO_TIES: ReadonlySet<number> = new Set();

interface Gathered {
  readonly records: Map<string, ServiceRecord>;
  readonly odd: Map<string, OddRecord>;
  namelessCount: number;
}

const gather = (): Gathered => ({ records: new Map(), odd: new Map(), namelessCount: 0 });

function add(to: Gathered, page: Page): void {
  for (const record of page.records) to.records.set(record.id, record);
  for (const odd of page.odd) {
    if (odd.id === undefined) to.namelessCount += 1;
    else to.odd.set(odd.id, odd);
  }
}

const seenCount = (all: Gathered) => all.records.size + all.odd.size + all.namelessCount;

/** NaN where the record does not say. */
const createdMs = ({ fields: { created_at: text } }: ServiceRecord) =>
  typeof text === "string" ? Date.parse(text) : Number.NaN;

const assertPageCount = (source: WalkSource, pageCount: number) => {
  if (pageCount <= PAGES_MAX) return;
  throw new ErpHostError({
    code: "list_too_long",
    operation: source.operation,
    why: message("list_too_long", { pages: pageCount, most: PAGES_MAX }),
  });
};

/**
 * Page 1 says how many there are; the others are asked for together. Whatever it finds is found.
 * A list that fits on one page is seen at one moment, so that such a walk can prove something.
 */
export async function fastWalk(source: WalkSource): Promise<FastWalk> {
  const begunAt = source.now();
  const first = await source.fetchPage(1, source.perPage);
  if (!first.pagination) return unpaginatedWalk(source, first, begunAt);
  const { per_page: perPage, total_pages: pageCount, total_items: total } = first.pagination;
  assertPageCount(source, pageCount);
  const numbers = Array.from({ length: Math.max(0, pageCount - 1) }, (_, index) => index + 2);
  const pages = [first, ...(await Promise.all(numbers.map((n) => source.fetchPage(n, perPage))))];
  for (let last = pages.at(-1); last?.pagination?.has_next; last = pages.at(-1)) {
    assertPageCount(source, pages.length + 1);
    pages.push(await source.fetchPage(pages.length + 1, perPage));
  }
  const all = gather();
  for (const page of pages) add(all, page);
  const saidMs = Date.parse(first.serviceTime ?? "");
  // A time in whole seconds was cut off.
  const newFrom = saidMs % 1_000 === 0 ? saidMs + 999 : saidMs;
  // What came after page 1 makes up in number for what was skipped because something else went.
  const later = pages.slice(1).flatMap(({ records }) => records);
  const newer = later.filter((record) => createdMs(record) > newFrom).length;
  const more = seenCount(all) - total;
  const isSure = more >= newer && pages.every((page) => page.pagination);
  const isWhole = more < 0 ? "no" : isSure ? "yes" : "perhaps";
  const single = pages.length === 1;
  return {
    ...graded(all, single ? "still" : "nothing", message("pages_read_together", {})),
    ...{ begunAt, serviceTime: first.serviceTime, ties: NO_TIES, isWhole, perPage },
    pageCount: Math.max(1, pageCount),
  };
}

/** A fast walk; where something moved between its pages, the order that skips nothing as well. */
export async function wholeWalk(source: WalkSource): Promise<Walk> {
  const fast = await fastWalk(source);
  if (fast.isWhole === "yes") return fast;
  return backwardWalk({ ...source, perPage: fast.perPage }, fast.pageCount);
}

/**
 * Without `pagination` a page that is not full may be all that the service gives at once. It is the
 * whole list where the next page is empty; a full page proves nothing.
 */
async function unpaginatedWalk(
  source: WalkSource,
  first: Page,
  begunAt: number,
): Promise<FastWalk> {
  const all = gather();
  add(all, first);
  let page = first;
  let number = 1;
  let whole = first.size === 0;
  while (page.size > 0) {
    number += 1;
    assertPageCount(source, number);
    page = await source.fetchPage(number, source.perPage);
    const before = seenCount(all);
    add(all, page);
    // A service that takes no notice of `page` would answer the same for ever.
    if (seenCount(all) === before) {
      whole = page.size === 0 && number === 2 && first.size < source.perPage;
      break;
    }
  }
  return {
    ...graded(all, whole ? "still" : "nothing", message("list_not_paginated", {})),
    ...{ begunAt, serviceTime: first.serviceTime, ties: NO_TIES, isWhole: "yes" as const },
    ...{ pageCount: number, perPage: source.perPage },
  };
}

/** What was gathered, and what it proves: nothing next to a record without an id, which may be any object. */
function graded(all: Gathered, grade: Grade, problem: Message | undefined) {
  const count = all.namelessCount;
  if (count === 0) return { ...all, grade, problem: grade === "still" ? undefined : problem };
  const nothing = { grade: "nothing", problem: message("records_without_id", { count }) } as const;
  return { ...all, ...nothing };
}

/**
 * From the last page to the first of the list sorted by `created_at` upwards. What others insert
 * comes at the end, and what they delete moves the rest towards pages still to be read: an item
 * may be seen twice, never skipped. That the order is kept is checked on the way.
 */
export async function backwardWalk(source: WalkSource, lastPage: number): Promise<Walk> {
  const begunAt = source.now();
  const last = await findLastPage(source, lastPage);
  const { perPage } = last;
  let { page } = last;
  if (!page.pagination) return unpaginatedWalk({ ...source, perPage }, page, begunAt);
  const total = page.pagination.total_items;
  const { serviceTime } = page;
  const all = gather();
  const order = new OrderCheck();
  let totalChanged = false;
  for (;;) {
    if (page.pagination?.per_page !== perPage) {
      order.fail(message("page_size_changed", { page: page.number, perPage }));
    }
    totalChanged ||= page.pagination?.total_items !== total;
    order.check(page, all.records);
    add(all, page);
    if (page.number === 1) break;
    page = await source.fetchPage(page.number - 1, perPage);
  }
  const seen = seenCount(all);
  return {
    ...graded(all, ...gradeOf(order, seen, total, totalChanged)),
    ...{ begunAt, serviceTime, ties: order.ties, perPage },
    pageCount: Math.max(1, Math.ceil(total / perPage)),
  };
}

function gradeOf(
  order: OrderCheck,
  seen: number,
  total: number,
  totalChanged: boolean,
): [Grade, Message | undefined] {
  const whole = !totalChanged && seen === total;
  if (order.problem !== undefined) return [whole ? "counted" : "nothing", order.problem];
  if (whole) return ["still", undefined];
  // Ties at a border may have changed places; only the count can tell.
  if (order.ties.size > 0 && seen < total) {
    return ["tied", message("order_ambiguous", { seen, total })];
  }
  return ["moving", message("list_changed", { total })];
}

async function findLastPage(
  source: WalkSource,
  lastPage: number,
): Promise<{ page: Page; perPage: number }> {
  let { perPage } = source;
  let number = lastPage;
  for (let tries = 1; tries <= LAST_PAGE_TRIES_MAX; tries += 1) {
    const page = await source.fetchPage(number, perPage);
    const { pagination } = page;
    if (!pagination && number === 1) return { page, perPage };
    if (pagination) {
      const pageCount = Math.max(1, pagination.total_pages);
      assertPageCount(source, pageCount);
      if (pagination.per_page === perPage && pageCount === number) return { page, perPage };
      perPage = pagination.per_page;
      number = pageCount;
    } else number = 1;
  }
  throw new ErpHostError({
    code: "unproved_absence",
    operation: source.operation,
    why: message("last_page_not_found", { tries: LAST_PAGE_TRIES_MAX }),
    retryable: true,
  });
}

/** Whether a backward walk sees `created_at` fall nowhere. */
class OrderCheck {
  problem: Message | undefined;
  /** Times that an item shares with one of a page read earlier: the same item, or a tie. */
  readonly ties = new Set<number>();
  /** The oldest that was seen on earlier pages. */
  private floor = Number.POSITIVE_INFINITY;

  fail(problem: Message): void {
    this.problem ??= problem;
  }

  check(page: Page, seen: ReadonlyMap<string, ServiceRecord>): void {
    let previous = Number.NEGATIVE_INFINITY;
    let oldest = this.floor;
    for (const record of page.records) {
      const created = createdMs(record);
      if (Number.isNaN(created)) {
        this.fail(message("created_at_missing", { id: record.id, page: page.number }));
        continue;
      }
      if (created < previous) this.fail(message("order_broken", { page: page.number }));
      if (created > this.floor && !seen.has(record.id)) {
        this.fail(message("order_broken", { page: page.number, next: page.number + 1 }));
      }
      if (created >= this.floor) this.ties.add(created);
      previous = created;
      oldest = Math.min(oldest, created);
    }
    this.floor = oldest;
  }
}
