/** One resource as a program uses it: list, get, create, update, delete, in camelCase. */
import {
  toCamel,
  type Camel,
  type CreateInput,
  type Filter,
  type Flat,
  type Item,
  type Resource,
  type ResourceName,
  type Resources,
  type ServiceRecord,
  type UpdateInput,
  type Values,
} from "../../contract";
import type { CallOptions, WriteOptions } from "../api";
import type { ClientCore } from "../core";
import { bodyFrom, listRequest, type ListRequest } from "./input";
import type { Page } from "../lists/page";
import { fastWalk, PAGES_MAX } from "../lists/walk";

/** Field names that a list may be sorted by; the service may know more. */
export type SortField<R extends Resource> =
  Camel<keyof R["fields"] & string> | (string & Record<never, never>);

/** What a list takes (contract, part 4). */
export type ListInput<R extends Resource> = Flat<
  {
    /** Page to begin with, from 1; default 1. */
    page?: number;
    /** Items per page, 1 to 100; default 100, so that a list costs few calls. */
    perPage?: number;
    /** Default: the service's, `createdAt`. */
    sort?: SortField<R>;
    /** Default: the service's, `desc`. */
    order?: "asc" | "desc";
  } & Filter<R>
>;

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly page: number;
  /** Undefined where the service gave no `pagination`. */
  readonly totalPages: number | undefined;
  readonly totalItems: number | undefined;
  readonly hasNext: boolean;
}

/** A list that has not been asked for yet. Iterating asks page by page and never gives one twice. */
export interface Listing<T> extends AsyncIterable<T> {
  /** Page by page, from `page` on. */
  pages(): AsyncIterable<ListPage<T>>;
  /** One page. */
  page(number: number): Promise<ListPage<T>>;
  /** All of it; pages are asked for together. */
  toArray(): Promise<T[]>;
}

interface Listed<R extends Resource> {
  /** @throws InvalidInput at once, before any call. */
  list(input?: ListInput<R>, options?: CallOptions): Listing<Item<R>>;
  /** One object by its id. Undefined only where it is proved to be gone; else an error. */
  get(id: string, options?: CallOptions): Promise<Item<R> | undefined>;
}
interface Created<R extends Resource> {
  /** Retried safely: every attempt carries the same idempotency key and the same bytes. */
  create(input: CreateInput<R>, options?: WriteOptions): Promise<Item<R>>;
  /**
   * `absent` where the service did not have it. Where the service offers no delete (backups,
   * teams) and no profile names one, the error has the code `not_offered`.
   */
  delete(id: string, options?: CallOptions): Promise<"deleted" | "absent">;
}
interface Updated<R extends Resource> {
  /** Sends what is given and nothing else. */
  update(id: string, patch: UpdateInput<R>, options?: CallOptions): Promise<Item<R>>;
}

type Offers<R extends Resource, O extends string, T> = O extends keyof R["operations"]
  ? T
  : unknown;

/** What can be done with one resource, as far as the contract offers it. */
export type Collection<R extends Resource> = Listed<R> &
  Offers<R, "create", Created<R>> &
  Offers<R, "update", Updated<R>>;

/** What a rotation answers (contract, part 4). */
export interface RotatedKey {
  /** The key that was rotated works until `expiresAt`. */
  readonly oldKey: { readonly id: string; readonly expiresAt: string };
  /** `value` is the secret, shown this once. */
  readonly newKey: { readonly id: string; readonly value: string; readonly createdAt: string };
}

interface Rotating {
  /** Answers the new secret once. The old key stays valid until its grace period ends. */
  rotate(id: string, options?: WriteOptions): Promise<RotatedKey>;
}

/** The collection of a resource by its name; keys can be rotated as well. */
export type CollectionOf<K extends ResourceName> = Collection<Resources[K]> &
  (K extends "api_key" ? Rotating : unknown);

const PER_PAGE_DEFAULT = 100;

/** The same for a resource whose fields are not known here; `CollectionOf` puts the types back on. */
interface AnyCollection extends Rotating {
  list(input?: unknown, options?: CallOptions): Listing<unknown>;
  get(id: string, options?: CallOptions): Promise<unknown>;
  create(input: unknown, options?: WriteOptions): Promise<unknown>;
  update(id: string, patch: unknown, options?: CallOptions): Promise<unknown>;
  delete(id: string, options?: CallOptions): Promise<"deleted" | "absent">;
}

/** The collection of one resource. */
export function collectionOf<K extends ResourceName>(core: ClientCore, kind: K): CollectionOf<K> {
  const collection: AnyCollection = anyCollection(core, kind);
  // What it takes and answers is checked and renamed by the very definition the type comes from.
  return collection as CollectionOf<K>;
}

function anyCollection(core: ClientCore, kind: ResourceName): AnyCollection {
  const resource = core.contract.resources[kind];
  const { fields } = resource.definition;
  const item = (record: ServiceRecord): Values => ({
    ...toCamel(fields, record.fields),
    properties: record.properties,
  });
  return {
    list: (input = {}, options) =>
      listing({ core, kind, request: listRequest(resource, input), item }, options),
    async get(id, options) {
      const reading = await core.read(kind, id, options);
      return reading.state === "present" ? item(reading.record) : undefined;
    },
    async create(input, options) {
      return item((await core.create(kind, bodyFrom(resource, input, "create"), options)).record);
    },
    async update(id, patch, options) {
      const body = bodyFrom(resource, patch, "update");
      return item((await core.update(kind, id, body, options)).record);
    },
    async delete(id, options) {
      return core.remove(kind, id, options);
    },
    async rotate(id, options) {
      const { old_key, new_key } = (await core.rotate(id, options)).rotation;
      return {
        oldKey: { id: old_key.id, expiresAt: old_key.expires_at },
        newKey: { id: new_key.id, value: new_key.value, createdAt: new_key.created_at },
      };
    },
  };
}

/** Which list is read, and what becomes of its records. */
interface Source {
  readonly core: ClientCore;
  readonly kind: ResourceName;
  readonly request: ListRequest;
  readonly item: (record: ServiceRecord) => unknown;
}

function listing(source: Source, options: CallOptions | undefined): Listing<unknown> {
  const { core, kind, request, item } = source;
  const { query, perPage = PER_PAGE_DEFAULT } = request;
  const fetchPage = core.pages(kind, query, options);
  const pageOf = (page: Page): ListPage<unknown> => ({
    items: page.records.map(item),
    page: page.number,
    totalPages: page.pagination?.total_pages,
    totalItems: page.pagination?.total_items,
    hasNext: page.pagination?.has_next ?? page.size >= perPage,
  });
  async function* raw(): AsyncGenerator<Page> {
    let size = perPage;
    for (let number = request.page; number <= PAGES_MAX; number += 1) {
      const page = await fetchPage(number, size);
      yield page;
      // A service that gives fewer per page than asked for counts its pages by that.
      size = page.pagination?.per_page ?? size;
      if (!(page.pagination?.has_next ?? page.size >= size)) return;
    }
  }
  async function* records(): AsyncGenerator<ServiceRecord> {
    const seen = new Set<string>();
    for await (const page of raw()) {
      const fresh = page.records.filter(({ id }) => !seen.has(id));
      if (fresh.length === 0 && page.size > 0 && page.pagination === undefined) return;
      for (const record of fresh) {
        seen.add(record.id);
        yield record;
      }
    }
  }
  return {
    async *[Symbol.asyncIterator]() {
      for await (const record of records()) yield item(record);
    },
    async *pages() {
      for await (const page of raw()) yield pageOf(page);
    },
    page: async (number) => {
      listRequest(core.contract.resources[kind], { page: number });
      return pageOf(await fetchPage(number, perPage));
    },
    async toArray() {
      if (request.page !== 1) {
        const items: unknown[] = [];
        for await (const record of records()) items.push(item(record));
        return items;
      }
      const walk = await fastWalk({
        fetchPage,
        operation: `GET ${core.contract.resources[kind].path}`,
        now: () => 0,
        perPage,
      });
      return [...walk.records.values()].map(item);
    },
  };
}
