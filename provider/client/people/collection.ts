/** One resource as a program uses it: list, get, create, update, delete, in camelCase. */
import { itemOf, resources } from "../../contract";
import type { ApiKey, ApiKeyCreate, ApiKeyFilter, ApiKeyUpdate } from "../../contract";
import type { ResolvedResource, ResourceName, ServiceRecord } from "../../contract";
import type { CallOptions, SnapshotOptions, WriteOptions } from "../api";
import type { ClientCore } from "../calls/writes";
import { bodyFrom, checkOptions, listRequest } from "./input";
import { RecordListing, type Listing } from "./listing";

/** Objects that the service lists: records `T`, chosen by `F`. */
export interface ListedCollection<T, F> {
  /** @throws InvalidInput immediately, before any call. */
  list(filter?: F, options?: CallOptions): Listing<T>;
  /**
   * One object by its id. Undefined only where the object is proved to be gone; an error otherwise.
   *
   * The service shows single objects in its lists alone: a call reads the whole list, 100 objects
   * per request, and that of an object that is gone reads it three times. Calls at the same time
   * share one reading; with `maxAgeMs` they share an earlier one. For many objects use `list`.
   */
  get(id: string, options?: SnapshotOptions): Promise<T | undefined>;
}

/** Objects that can be created from `C` as well. */
export interface CreatedCollection<T, F, C> extends ListedCollection<T, F> {
  /** Retried safely: every attempt carries the same idempotency key and the same bytes. */
  create(input: C, options?: WriteOptions): Promise<T>;
  /**
   * `absent` where the service did not have it, or its answer does not clearly say that it is
   * deleted: `get` shows whether it is gone. Where the service offers no delete (backups, teams)
   * and no profile names one, the error has the code `not_offered`.
   */
  delete(id: string, options?: CallOptions): Promise<"deleted" | "absent">;
}

/** Objects that can be changed by `U` as well. */
export interface Collection<T, F, C, U> extends CreatedCollection<T, F, C> {
  /** Sends the given fields and nothing else; where a profile says `PUT`, all that the service shows. */
  update(id: string, patch: U, options?: CallOptions): Promise<T>;
}

/** API keys, which can be rotated as well. */
export interface KeyCollection extends Collection<
  ApiKey,
  ApiKeyFilter,
  ApiKeyCreate,
  ApiKeyUpdate
> {
  /** Returns the new secret, once. The old key keeps working until its grace period ends. */
  rotate(id: string, options?: WriteOptions): Promise<RotatedKey>;
}

/** What a rotation answers (contract, part 4). */
export interface RotatedKey {
  /** The rotated key keeps working until `expiresAt`. */
  readonly oldKey: { readonly id: string; readonly expiresAt: string };
  /** `value` is the secret, which is shown only once. */
  readonly newKey: { readonly id: string; readonly value: string; readonly createdAt: string };
}

/**
 * Every operation on one resource; types show those that the contract offers. Operations are
 * properties, so that a program can take one off: `names.map(erphost.servers.create)`.
 */
class RecordCollection implements Collection<object, object, object, object> {
  // A private name: printing a client must not show its configuration.
  readonly #core: ClientCore;
  readonly #kind: ResourceName;

  constructor(core: ClientCore, kind: ResourceName) {
    this.#core = core;
    this.#kind = kind;
  }

  readonly list = (filter: object = {}, options?: CallOptions): Listing<object> => {
    const resource = this.#resource();
    const request = listRequest(resource, filter);
    checkOptions(`list ${resource.definition.plural}`, options);
    const pages = (...ends: AbortSignal[]) => {
      const signal = AbortSignal.any(options?.signal ? [options.signal, ...ends] : ends);
      return this.#core.pages(this.#kind, request.query, { ...options, signal });
    };
    return new RecordListing({ resource, request, pages, itemOf: this.#item });
  };

  readonly get = async (id: string, options?: SnapshotOptions): Promise<object | undefined> => {
    checkOptions(`get ${this.#kind}`, options, ["maxAgeMs"]);
    const reading = await this.#core.read(this.#kind, id, options);
    return reading.state === "present" ? this.#item(reading.record) : undefined;
  };

  readonly create = async (input: object, options?: WriteOptions): Promise<object> => {
    const body = bodyFrom(this.#resource(), input, "create");
    checkOptions(`create ${this.#kind}`, options, ["idempotencyKey"]);
    return this.#item((await this.#core.create(this.#kind, body, options)).record);
  };

  readonly update = async (id: string, patch: object, options?: CallOptions): Promise<object> => {
    const body = bodyFrom(this.#resource(), patch, "update");
    checkOptions(`update ${this.#kind}`, options);
    return this.#item((await this.#core.update(this.#kind, id, body, options)).record);
  };

  readonly delete = async (id: string, options?: CallOptions): Promise<"deleted" | "absent"> => {
    checkOptions(`delete ${this.#kind}`, options);
    return this.#core.remove(this.#kind, id, options);
  };

  readonly #resource = (): ResolvedResource => this.#core.contract.resources[this.#kind];
  readonly #item = (record: ServiceRecord): object => itemOf(resources[this.#kind], record);
}

class RecordKeyCollection extends RecordCollection {
  readonly #core: ClientCore;

  constructor(core: ClientCore) {
    super(core, "api_key");
    this.#core = core;
  }

  readonly rotate = async (id: string, options?: WriteOptions): Promise<RotatedKey> => {
    checkOptions("rotate api_key", options, ["idempotencyKey"]);
    const { old_key: old, new_key: fresh } = (await this.#core.rotate(id, options)).rotation;
    return {
      oldKey: { id: old.id, expiresAt: old.expires_at },
      newKey: { id: fresh.id, value: fresh.value, createdAt: fresh.created_at },
    };
  };
}

/** The collection of one resource. Its generated getter says what its records are. */
export const collectionOf = (core: ClientCore, kind: ResourceName): object =>
  kind === "api_key" ? new RecordKeyCollection(core) : new RecordCollection(core, kind);
