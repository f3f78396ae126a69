/** A list as a program reads it: record by record, page by page, or all at once. */
import type { ResolvedResource, ServiceRecord } from "../../contract";
import type { FetchPage, Page } from "../api";
import { message } from "../../messages";
import { ErpHostError } from "../errors";
import { fastWalk, PAGES_MAX } from "../lists/walk";
import { listRequest, type ListRequest } from "./input";

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly page: number;
  /** Undefined where the service gave no `pagination`. */
  readonly totalPages: number | undefined;
  readonly totalItems: number | undefined;
  /** Without `pagination`, whether the page has anything: only an empty one shows the end. */
  readonly hasNext: boolean;
}

/** A list that has not been requested yet. Iterating requests it page by page and never yields an object twice. */
export interface Listing<T> extends AsyncIterable<T> {
  /** Page by page, starting at `page`. */
  pages(): AsyncIterable<ListPage<T>>;
  page(number: number): Promise<ListPage<T>>;
  /** All of it; pages are requested in parallel. @throws ErpHostError `list_changed` */
  toArray(): Promise<T[]>;
}

const PER_PAGE_DEFAULT = 100;

interface ListingSource<T> {
  readonly resource: ResolvedResource;
  readonly request: ListRequest;
  /** Until a signal ends it. */
  readonly pages: (...ends: AbortSignal[]) => FetchPage;
  readonly itemOf: (record: ServiceRecord) => T;
}

/** The listing of one resource, on pages that are fetched when they are needed. */
export class RecordListing<T> implements Listing<T> {
  readonly #source: ListingSource<T>;
  readonly #perPage: number;

  constructor(source: ListingSource<T>) {
    this.#source = source;
    this.#perPage = source.request.perPage ?? PER_PAGE_DEFAULT;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const { fresh } of this.#pages()) yield* fresh.map(this.#source.itemOf);
  }

  async *pages(): AsyncGenerator<ListPage<T>> {
    for await (const { page } of this.#pages()) yield this.#shown(page);
  }

  async page(number: number): Promise<ListPage<T>> {
    const { resource, pages } = this.#source;
    listRequest(resource, { page: number });
    return this.#shown(await pages()(number, this.#perPage));
  }

  async toArray(): Promise<T[]> {
    const { request, pages, itemOf } = this.#source;
    if (request.page !== 1) return Array.fromAsync(this);
    const ends = new AbortController();
    try {
      const records = await this.#all(pages(ends.signal));
      return [...records.values()].map(itemOf);
    } finally {
      // Where one page fails, the others are not waited for.
      ends.abort();
    }
  }

  async #all(fetchPage: FetchPage): Promise<ReadonlyMap<string, ServiceRecord>> {
    const operation = `GET ${this.#source.resource.path}`;
    const source = { fetchPage, operation, now: () => 0, perPage: this.#perPage };
    let walk = await fastWalk(source);
    // A deletion between two pages makes them skip an object.
    if (walk.isWhole !== "yes") walk = await fastWalk(source);
    if (walk.isWhole !== "no") return walk.records;
    const why = message("list_changed", { total: walk.records.size });
    throw new ErpHostError({ code: "list_changed", operation, why, retryable: true });
  }

  /** Each page, with what none before it had. */
  async *#pages(): AsyncGenerator<{ page: Page; fresh: readonly ServiceRecord[] }> {
    const { request, pages } = this.#source;
    const fetchPage = pages();
    const seen = new Set<string>();
    let size = this.#perPage;
    for (let number = request.page; number <= PAGES_MAX; number += 1) {
      const page = await fetchPage(number, size);
      const fresh = page.records.filter(({ id }) => !seen.has(id));
      // A service that takes no notice of `page` would answer the same for ever.
      if (!page.pagination && fresh.length === 0 && number > request.page) return;
      yield { page, fresh };
      for (const { id } of fresh) seen.add(id);
      // A service that gives fewer per page than requested counts its pages by that.
      size = page.pagination?.per_page ?? size;
      if (!(page.pagination?.has_next ?? page.size > 0)) return;
    }
  }

  #shown({ records, number, pagination, size }: Page): ListPage<T> {
    return {
      items: records.map(this.#source.itemOf),
      page: number,
      totalPages: pagination?.total_pages,
      totalItems: pagination?.total_items,
      hasNext: pagination?.has_next ?? size > 0,
    };
  }
}
