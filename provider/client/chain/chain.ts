/** The chain that every call goes through, in its order, and the key that is in use. */
import type { Dispatcher } from "undici";
import type { OperationName, ResourceName } from "../../contract";
import type { CallOptions } from "../api";
import { createBudget } from "../quota/budget";
import type { Call, Method, Send } from "./call";
import { cancellationOf, type Cancellation } from "../cancellation";
import type { Configuration } from "../settings/read";
import { dispatcherOf } from "./dispatcher";
import { ErpHostError } from "../errors";
import { exchange } from "./exchange";
import type { Injectables } from "../settings/injectables";
import type { Waiter } from "../lists/list";
import { observerOf, type Observer } from "./observe";
import { createGate, withPace } from "./pace";
import type { RateTold } from "../quota/rate-headers";
import { withRetry } from "./retry";
import { withSlots } from "./slots";
import { undiciTransport } from "./transport";

/** The way to the service. */
export interface Line {
  readonly observer: Observer;
  readonly send: Send;
  /** A call of the named operation on a resource; without one for `/auth/test`. */
  readonly request: (
    kind: ResourceName | undefined,
    does: OperationName,
    method: Method,
    path: string,
    objectId: string | undefined,
    more: RequestParts,
    body?: string,
  ) => Call;
  readonly cancellation: (options: CallOptions | undefined) => Cancellation;
  /** What `/auth/test` told, in answer to what was sent at `sentAt`. */
  readonly learn: (sentAt: number, told: RateTold) => void;
  readonly useKey: (apiKey: string) => void;
  readonly close: () => Promise<void>;
}

/** More that a request needs. */
export interface RequestParts extends Waiter {
  readonly idempotencyKey?: string;
  readonly secrets?: () => readonly string[];
}

const noSecrets = (): readonly string[] => [];

/** Puts the steps in their order, and keeps the key that is in use. */
export function connect(configuration: Configuration, injectables: Injectables): Line {
  const { contract, account, debugAuth, userAgent, timeoutMs } = configuration;
  const { clock, random, signal } = injectables;
  const observer = observerOf(injectables.hooks);
  const budget = createBudget(configuration.limits, configuration.share);
  const gate = createGate({ clock, random, budget, observer });
  const base = new URL(account.baseUrl);
  // Made with the first request: a run that only plans needs none.
  let own: Dispatcher | undefined;
  const dispatcher = () => injectables.dispatcher ?? (own ??= dispatcherOf(configuration));
  const transport =
    injectables.transport ?? undiciTransport(dispatcher, base.origin, timeoutMs, clock);

  const keys = [configuration.apiKey];
  let headers = headersFor(configuration.apiKey, debugAuth, userAgent);
  let closed = false;
  let closing: Promise<void> | undefined;

  // From the outside in:
  // 1. slots: so many calls at a time; a call keeps its slot until it is over, waits included,
  //    so that what has started finishes first;
  // 2. retry: an attempt after another; inside the slot, outside the gate, since every attempt
  //    counts against the quota;
  // 3. pace: nothing is sent before the quota has room, and right before sending is when it counts;
  // 4. exchange: authorise with the key of this moment, send, decode, and report what was told.
  // The deadline and the idempotency key are the call's own, set before it enters.
  const send: Send = withSlots(
    withRetry(
      withPace(
        exchange({
          clock,
          transport,
          budget,
          gate,
          observer,
          basePath: base.pathname.replace(/\/+$/, ""),
          headers: () => headers,
          secrets: () => keys,
        }),
        gate,
      ),
      { clock, random, observer },
    ),
    configuration.concurrency,
  );

  return {
    observer,
    send: (call) => {
      if (!closed) return send(call);
      const { operation, objectId } = call;
      return Promise.reject(
        new ErpHostError({ code: "closed", operation, objectId, reason: "the client was closed" }),
      );
    },
    request: (kind, does, method, path, objectId, more, body) => {
      const query = path.indexOf("?");
      return {
        method,
        path,
        operation: `${method} ${query < 0 ? path : path.slice(0, query)}`,
        objectId,
        body,
        idempotencyKey: more.idempotencyKey,
        scope: kind && contract.resources[kind].definition.scopes[does]?.scope,
        secrets: more.secrets ?? noSecrets,
        cancel: more.cancel,
        onNotice: more.onNotice,
        attempt: 0,
      };
    },
    /** Assumption: after the idempotency window a retry is not safe, so no call lasts longer. */
    cancellation: (options) =>
      cancellationOf(clock, [signal, options?.signal], options?.timeoutMs, {
        deadlineMs: contract.idempotencyWindowMs,
        stop: options?.stop,
      }),
    learn: (sentAt, told) => {
      const now = clock.monotonicMs();
      budget.learn(now, now - sentAt, told);
    },
    useKey: (apiKey) => {
      // Earlier keys stay known, so that no message ever shows them.
      if (!keys.includes(apiKey)) keys.push(apiKey);
      headers = headersFor(apiKey, debugAuth, userAgent);
    },
    close: () => {
      closed = true;
      return (closing ??= own?.close() ?? Promise.resolve());
    },
  };
}

const headersFor = (apiKey: string, debugAuth: boolean, userAgent: string) => ({
  authorization: `Bearer ${apiKey}`,
  "content-type": "application/json",
  "user-agent": userAgent,
  ...(debugAuth && { "x-debug-auth": "true" }),
});
