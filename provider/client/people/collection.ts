/** One resource as a program uses it: list, get, create, update, delete, in camelCase. */
import {
  itemOf,
  resources,
  type Camel,
  type CreateInput,
  type Filter,
  type Flat,
  type Item,
  type Resource,
  type ResolvedResource,
  type ResourceName,
  type Resources,
  type ServiceRecord,
  type UpdateInput,
} from "../../contract";
import type { CallOptions, WriteOptions } from "../api";
import type { ClientCore } from "../core";
import { bodyFrom, listRequest } from "./input";
import { RecordListing, type Listing } from "./listing";

/** Field names that a list may be sorted by; the service may know more. */
export type SortField<R extends Resource> =
  Camel<keyof R["fields"] & string> | (string & Record<never, never>);

/** What a list takes (contract, part 4). */
export type ListInput<R extends Resource> = Flat<
  {
    /** First page, from 1; default 1. */
    page?: number;
    /** Items per page, 1 to 100; default 100, so that a list costs few calls. */
    perPage?: number;
    /** Default: the service's, `createdAt`. */
    sort?: SortField<R>;
    /** Default: the service's, `desc`. */
    order?: "asc" | "desc";
  } & Filter<R>
>;

interface Listed<R extends Resource> {
  /** @throws InvalidInput immediately, before any call. */
  list(input?: ListInput<R>, options?: CallOptions): Listing<Item<R>>;
  /** One object by its id. Undefined only where the object is proved to be gone; an error otherwise. */
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
  /** Sends the given fields and nothing else. */
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
  /** The rotated key keeps working until `expiresAt`. */
  readonly oldKey: { readonly id: string; readonly expiresAt: string };
  /** `value` is the secret, which is shown only once. */
  readonly newKey: { readonly id: string; readonly value: string; readonly createdAt: string };
}

interface Rotating {
  /** Returns the new secret, once. The old key keeps working until its grace period ends. */
  rotate(id: string, options?: WriteOptions): Promise<RotatedKey>;
}

/** The collection of a resource by its name; keys can be rotated as well. */
export type CollectionOf<K extends ResourceName> = Collection<Resources[K]> &
  (K extends "api_key" ? Rotating : unknown);

/**
 * Every operation on one resource. `Collection` shows those that the contract offers. Operations are
 * properties, so that a program can take one off: `names.map(erphost.servers.create)`.
 */
class RecordCollection<N extends ResourceName> {
  // A private name: printing a client must not show its configuration.
  readonly #core: ClientCore;
  readonly #kind: N;

  constructor(core: ClientCore, kind: N) {
    this.#core = core;
    this.#kind = kind;
  }

  readonly list = (
    input?: ListInput<Resources[N]>,
    options?: CallOptions,
  ): Listing<Item<Resources[N]>> => {
    const resource = this.#resource();
    const request = listRequest(resource, input ?? {});
    const fetchPage = this.#core.pages(this.#kind, request.query, options);
    return new RecordListing({ resource, request, fetchPage, itemOf: this.#item });
  };

  readonly get = async (
    id: string,
    options?: CallOptions,
  ): Promise<Item<Resources[N]> | undefined> => {
    const reading = await this.#core.read(this.#kind, id, options);
    return reading.state === "present" ? this.#item(reading.record) : undefined;
  };

  readonly create = async (
    input: CreateInput<Resources[N]>,
    options?: WriteOptions,
  ): Promise<Item<Resources[N]>> => {
    const body = bodyFrom(this.#resource(), input, "create");
    return this.#item((await this.#core.create(this.#kind, body, options)).record);
  };

  readonly update = async (
    id: string,
    patch: UpdateInput<Resources[N]>,
    options?: CallOptions,
  ): Promise<Item<Resources[N]>> => {
    const body = bodyFrom(this.#resource(), patch, "update");
    return this.#item((await this.#core.update(this.#kind, id, body, options)).record);
  };

  readonly delete = async (id: string, options?: CallOptions): Promise<"deleted" | "absent"> =>
    this.#core.remove(this.#kind, id, options);

  readonly #resource = (): ResolvedResource => this.#core.contract.resources[this.#kind];
  readonly #item = (record: ServiceRecord): Item<Resources[N]> =>
    itemOf(resources[this.#kind], record);
}

/** API keys can be rotated as well. */
class KeyCollection extends RecordCollection<"api_key"> implements Rotating {
  readonly #core: ClientCore;

  constructor(core: ClientCore) {
    super(core, "api_key");
    this.#core = core;
  }

  readonly rotate = async (id: string, options?: WriteOptions): Promise<RotatedKey> => {
    const { old_key: old, new_key: fresh } = (await this.#core.rotate(id, options)).rotation;
    return {
      oldKey: { id: old.id, expiresAt: old.expires_at },
      newKey: { id: fresh.id, value: fresh.value, createdAt: fresh.created_at },
    };
  };
}

/** The collection of one resource. */
export function collectionOf<K extends ResourceName>(core: ClientCore, kind: K): CollectionOf<K> {
  const collection =
    kind === "api_key" ? new KeyCollection(core) : new RecordCollection(core, kind);
  // The compiler can't follow a type that depends on K; `types.test.ts` checks every kind.
  return collection as CollectionOf<K>;
}
