/** The client as the engine uses it: the chain of steps, and what each call means. */
import {
  authTestSchema,
  InvalidInput,
  issueAt,
  rotationSchema,
  resources,
  type AuthTest,
  type Contract,
  type Meta,
  type OperationName,
  type ResolvedResource,
  type ResourceName,
  type Values,
} from "../contract";
import type { CallOptions, Core, Reading, ReadOptions, WriteOptions } from "./api";
import type { Answer, Call } from "./chain/call";
import { connect } from "./chain/chain";
import type { Configuration } from "./settings/read";
import { ErpHostError, hasCode } from "./errors";
import type { Injectables } from "./settings/injectables";
import { createList, ownReading, walkQuery, type List, type Waiter } from "./lists/list";
import { debugOf, type DebugAuth } from "./chain/observe";
import { pageFetcher, type FetchPage, type Query } from "./lists/page";
import { resetOf } from "./quota/rate-headers";
import { secretsOfBody } from "./redact";
import { backwardWalk, fastWalk } from "./lists/walk";
import { recordOf, writtenNames } from "./calls/answered-record";

/** What the engine's interface leaves out and `ErpHost` needs. */
export interface ClientCore extends Core {
  authTest(
    options?: CallOptions,
  ): Promise<AuthTest & { readonly meta: Meta | undefined; readonly debug: DebugAuth | undefined }>;
  /** Pages of a list with any query, each asked for when it is wanted. */
  pages(kind: ResourceName, query: Query, options?: CallOptions): FetchPage;
  /** The list parameters and filters under wire names. */
  wireQuery(kind: ResourceName, query: Values): Query;
}

/** Makes a core. It makes no call before it is asked to. */
export function createCore(configuration: Configuration, injectables: Injectables): ClientCore {
  const { contract, account } = configuration;
  const { clock, uuid } = injectables;
  const line = connect(configuration, injectables);
  const { send, request } = line;

  const list = (kind: ResourceName): List => {
    const known = lists.get(kind);
    if (known) return known;
    const made = createList({
      resource: offered(contract, kind, "list"),
      clock,
      settleMs: contract.settleWindowMs,
      warn: (notice) => line.observer.warning(notice),
      get: (path, cancel, onNotice) =>
        send(request(kind, "list", "GET", path, undefined, { cancel, onNotice })),
    });
    lists.set(kind, made);
    return made;
  };
  const lists = new Map<ResourceName, List>();

  /** Runs with the caller's signal and time, and lets go of both at the end. */
  const within = async <T>(
    options: CallOptions | undefined,
    run: (waiter: Waiter) => Promise<T>,
  ): Promise<T> => {
    const cancel = line.cancellation(options);
    try {
      return await run({ cancel, onNotice: options?.onNotice });
    } finally {
      cancel.dispose();
    }
  };

  /** Sends a write and remembers what it did; an unknown outcome makes what is known old. */
  const write = async (kind: ResourceName, call: Call, id: string | undefined, body: Values) => {
    const store = contract.resources[kind].operations.list ? list(kind) : undefined;
    try {
      const answer = await send(call);
      const before = id === undefined ? undefined : store?.own(id)?.record;
      const record = recordOf(contract.resources[kind], call, answer, body, before);
      const { meta, replayed } = answer;
      // A replay shows what was, not what is.
      if (!replayed) {
        store?.wrote(record.id, {
          at: clock.monotonicMs(),
          record,
          names: writtenNames(contract.resources[kind], body),
          serviceTime: meta?.timestamp,
        });
      }
      return { record, meta, replayed };
    } catch (error) {
      if (error instanceof ErpHostError && error.ambiguous) store?.distrust();
      throw error;
    }
  };

  const createBytes = (
    kind: ResourceName,
    bytes: string,
    body: Values,
    options: WriteOptions | undefined,
  ) => {
    const resource = offered(contract, kind, "create");
    return within(options, (waiter) => {
      const key = options?.idempotencyKey ?? uuid();
      const more = { ...waiter, idempotencyKey: key, secrets: lazySecrets(resource, body) };
      const call = request(kind, "create", "POST", resource.path, undefined, more, bytes);
      return write(kind, call, undefined, body);
    });
  };

  /** One "not found" may be a fault of the moment: gone is what is not found twice. */
  const readItem = async (kind: ResourceName, id: string, waiter: Waiter): Promise<Reading> => {
    const resource = contract.resources[kind];
    const own = list(kind).own(id);
    const settling =
      own !== undefined && clock.monotonicMs() < own.at + contract.settleWindowMs ? own : undefined;
    for (let missed = 0; missed < 2; missed += 1) {
      const call = request(kind, "list", "GET", itemPath(resource.itemPath, id), id, waiter);
      try {
        const answer = await send(call);
        if (settling && !settling.record) return ownReading(settling);
        const record = recordOf(resource, call, answer, {}, undefined);
        return { state: "present", record, serviceTime: answer.meta?.timestamp };
      } catch (error) {
        if (!hasCode(error, "not_found")) throw error;
        if (settling) return ownReading(settling);
      }
    }
    return { state: "gone", serviceTime: undefined };
  };

  const core: ClientCore = {
    contract,
    account,
    create: (kind, body, options) => createBytes(kind, JSON.stringify(body), body, options),
    createBytes: (kind, bytes, options) => createBytes(kind, bytes, bodyOf(bytes), options),
    update(kind, id, body, options) {
      const resource = offered(contract, kind, "update");
      const path = itemPath(resource.itemPath, id);
      return within(options, (waiter) => {
        const more = { ...waiter, secrets: lazySecrets(resource, body) };
        const bytes = JSON.stringify(body);
        const call = request(kind, "update", resource.updateMethod, path, id, more, bytes);
        return write(kind, call, id, body);
      });
    },
    remove(kind, id, options) {
      const path = itemPath(offered(contract, kind, "delete").itemPath, id);
      return within(options, async (waiter) => {
        const call = request(kind, "delete", "DELETE", path, id, waiter);
        const store = contract.resources[kind].operations.list ? list(kind) : undefined;
        const deleted = (serviceTime: string | undefined) =>
          store?.wrote(id, { at: clock.monotonicMs(), record: undefined, names: [], serviceTime });
        try {
          const answer = await send(call);
          deleted(answer.meta?.timestamp);
          return "deleted";
        } catch (error) {
          if (!hasCode(error, "not_found")) {
            if (error instanceof ErpHostError && error.ambiguous) store?.distrust();
            throw error;
          }
          // At the first attempt it may be a fault; only lists tell.
          if (!error.ambiguous) return "absent";
          // An attempt before this one may have done it, and its answer was lost.
          deleted(undefined);
          return "deleted";
        }
      });
    },
    rotate(id, options) {
      const path = itemPath(contract.rotatePath, id);
      return within(options, async (waiter) => {
        const more = { ...waiter, idempotencyKey: options?.idempotencyKey ?? uuid() };
        const call = request("api_key", "update", "POST", path, id, more, "{}");
        const answer = await send(call);
        const parsed = rotationSchema.safeParse(answer.data);
        if (!parsed.success) throw shapeError(call, answer, "old_key and new_key", true);
        if (contract.resources.api_key.operations.list) list("api_key").distrust();
        return { rotation: parsed.data, meta: answer.meta, replayed: answer.replayed };
      });
    },
    authTest(options) {
      return within(options, async (waiter) => {
        const call = request(undefined, "list", "GET", contract.authTestPath, undefined, waiter);
        const answer = await send(call);
        const parsed = authTestSchema.safeParse(answer.data);
        if (!parsed.success) {
          throw shapeError(call, answer, "authenticated, key_id and permissions", false);
        }
        const rate = parsed.data.rate_limit;
        if (rate) {
          const told = resetOf(rate.reset, answer.meta?.timestamp, clock.wallMs());
          line.learn(answer.sentAt, { limit: rate.limit, remaining: rate.remaining, ...told });
        }
        return { ...parsed.data, meta: answer.meta, debug: debugOf(answer.headers) };
      });
    },
    async snapshot(kind, options) {
      const store = list(kind);
      return within(options, (waiter) => store.snapshot(options?.maxAgeMs ?? 0, waiter));
    },
    async read(kind, id, options) {
      const askedAt = clock.monotonicMs();
      assertId(id);
      const store = list(kind);
      return within(options, (waiter) => read(kind, id, askedAt, store, options, waiter));
    },
    async list(kind, query, options) {
      const resource = offered(contract, kind, "list");
      return within(options, async (waiter) => {
        const source = {
          operation: `GET ${resource.path}`,
          now: () => clock.monotonicMs(),
          perPage: 100,
          fetchPage: fetcher(
            kind,
            { ...core.wireQuery(kind, query), ...walkQuery(resource) },
            waiter,
          ),
        };
        const walk = await fastWalk(source);
        const whole = walk.countsAddUp
          ? walk
          : await backwardWalk({ ...source, perPage: walk.perPage }, walk.pageCount);
        return [...whole.records.values()];
      });
    },
    pages: (kind, query, options) => {
      offered(contract, kind, "list");
      return (number, perPage) =>
        within(options, async (waiter) => {
          const page = await fetcher(kind, query, waiter)(number, perPage);
          for (const { id, problem } of page.odd) {
            const message = `${contract.resources[kind].path} lists ${id ?? "a record"}, which can't be read: ${problem}.`;
            line.observer.warning({ kind: "odd-record", message });
            waiter.onNotice?.({ kind: "odd-record", message });
          }
          return page;
        });
    },
    wireQuery: (kind, query) =>
      Object.fromEntries(
        Object.entries(query)
          .filter(([, value]) => value !== undefined && value !== null)
          .map(([name, value]) => [
            contract.resources[kind].wireNames[name] ?? name,
            String(value),
          ]),
      ),
    useKey: line.useKey,
    close: line.close,
  };

  const fetcher = (kind: ResourceName, query: Query, waiter: Waiter): FetchPage =>
    pageFetcher(contract.resources[kind], query, (path) =>
      send(request(kind, "list", "GET", path, undefined, waiter)),
    );

  const read = async (
    kind: ResourceName,
    id: string,
    askedAt: number,
    store: List,
    options: ReadOptions | undefined,
    waiter: Waiter,
  ): Promise<Reading> => {
    const own = store.own(id);
    // Its own DELETE was answered: that is the service's word already.
    if (own && !own.record && clock.monotonicMs() < own.at + contract.settleWindowMs) {
      return ownReading(own);
    }
    const { maxAgeMs = 0, verdict = false, createdAt } = options ?? {};
    const item = contract.resources[kind].operations.get !== undefined;
    // One call for one object, unless the caller shares walks with others.
    if (item && (verdict || (maxAgeMs === 0 && !store.hasWalk(0)))) {
      return readItem(kind, id, waiter);
    }
    const found = verdict ? undefined : await store.find(id, maxAgeMs, waiter);
    if (found) return found;
    return item ? readItem(kind, id, waiter) : store.verdict({ id, createdAt }, askedAt, waiter);
  };

  return core;
}

/** The resource, where the service offers the operation. @throws ErpHostError `not_offered`. */
function offered(
  contract: Contract,
  kind: ResourceName,
  operation: OperationName,
): ResolvedResource {
  const resource = contract.resources[kind];
  if (resource.operations[operation]) return resource;
  throw new ErpHostError({
    code: "not_offered",
    operation: `${operation} ${resource.path}`,
    reason: `the service offers no ${operation} of ${resources[kind].plural}`,
    remedy: "If yours does, name it in a contract profile.",
  });
}

function assertId(id: string): void {
  if (id !== "" && id !== "." && id !== "..") return;
  throw new InvalidInput("id", [issueAt([], "not_an_id", {})]);
}

function itemPath(template: string, id: string): string {
  assertId(id);
  return template.replace("{id}", () => encodeURIComponent(id));
}

const lazySecrets = (resource: ResolvedResource, body: Values) => () =>
  secretsOfBody(resource, body);

/** The fields in bytes that an earlier process wrote. */
function bodyOf(bytes: string): Values {
  const body: unknown = JSON.parse(bytes);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new InvalidInput("body", [issueAt([], "wrong_type", { type: "object" })]);
  }
  // A JSON object is what Values says.
  return body as Values;
}

const shapeError = (call: Call, answer: Answer, wanted: string, ambiguous: boolean) =>
  new ErpHostError({
    code: "invalid_response",
    operation: call.operation,
    objectId: call.objectId,
    status: answer.status,
    reason: `the answer has not ${wanted}`,
    remedy: "Check the base address and the contract profile.",
    requestId: answer.meta?.request_id,
    attempts: call.attempt,
    ambiguous,
  });
