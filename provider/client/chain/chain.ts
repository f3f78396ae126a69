/** The chain that every call goes through, in its order, and the key that is in use. */
import { getCACertificates } from "node:tls";
import type { Agent, Dispatcher, ProxyAgent } from "undici";
import type { Contract, OperationName, ResourceName } from "../../contract";
import type { CallOptions } from "../api";
import { cancellationOf, cancelledError, CLOSED, type Cancellation } from "../cancellation";
import { Budget } from "../quota/budget";
import type { RateReport } from "../quota/rate-headers";
import type { Injectables } from "../settings/system";
import type { Configuration } from "../settings/read";
import type { Answer, Call, Method, Send, Waiter } from "./call";
import { exchange } from "./exchange";
import { ATTEMPT_COUNT_MAX } from "./fault";
import { withKnownFaults } from "./known-faults";
import { reporterOf } from "./observe";
import { Gate, withPace } from "./pace";
import { withRetry } from "./retry";
import { withSlots } from "./slots";
import { undiciTransport } from "./transport";

/** What a call does. Scopes are named by the contract's own operations. */
export type Action = OperationName | "get" | "rotate";

/** Reading one object needs the scope of its list, a rotation that of an update. */
const SCOPE_OF = { get: "list", rotate: "update" } as const;

/** The longest window that the contract has (part 8). */
const HOUR_MS = 3_600_000;

export interface Request {
  /** Left out for `/auth/test`, which needs no scope. */
  readonly kind?: ResourceName;
  readonly does?: Action;
  readonly method: Method;
  readonly path: string;
  readonly objectId?: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
  readonly secrets?: () => readonly string[];
}

export class Chain {
  private readonly contract: Contract;
  private readonly budget: Budget;
  private readonly throughSteps: Send;
  private readonly keys: string[];
  private apiKey: string;
  private headers: Record<string, string>;
  /** Made with the first request: a run that only plans needs none. */
  private own: Dispatcher | undefined;
  /** Calls that are not over. */
  private readonly open = new Set<Call>();
  private closing: Promise<void> | undefined;

  constructor(
    private readonly configuration: Configuration,
    private readonly injectables: Injectables,
  ) {
    this.contract = configuration.contract;
    this.budget = new Budget(configuration.limits, configuration.share);
    this.apiKey = configuration.apiKey;
    this.keys = [this.apiKey];
    this.headers = headersFor(configuration, configuration.apiKey);
    this.throughSteps = this.steps();
  }

  /**
   * The steps, from the outside in:
   * 1. slots: a limited number of calls at a time; a call keeps its slot until it is over, waits included,
   *    so that what has started finishes first;
   * 2. known faults: what failed for all a moment ago fails at once;
   * 3. retry: one attempt after another; inside the slot, outside the gate, since every attempt
   *    counts against the quota;
   * 4. pace: nothing is sent before the quota has room, and right before sending is when it counts;
   * 5. exchange: authorise with the key of this moment, send, decode, and report to the quota.
   * The deadline and the idempotency key are the call's own, set before it enters.
   */
  private steps(): Send {
    const { clock, random, transport } = this.injectables;
    const { account, timeoutMs, waitMaxMs, concurrency, proxy, limits } = this.configuration;
    const { budget } = this;
    const { origin } = new URL(account.baseUrl);
    const windowMaxMs = Math.max(waitMaxMs, HOUR_MS, ...limits.map(({ windowMs }) => windowMs));
    const gate = new Gate({
      clock,
      random,
      budget,
      waitMaxMs,
      // A window may seem to end a little later than it does.
      windowMaxMs: windowMaxMs * 1.01 + 5_000,
    });
    const dispatcher = () =>
      this.injectables.dispatcher ?? (this.own ??= dispatcherOf(this.configuration));
    const exchanged = exchange({
      clock,
      transport:
        transport ?? undiciTransport({ dispatcher, origin, attemptTimeoutMs: timeoutMs, clock }),
      budget,
      gate,
      report: reporterOf(this.injectables, () => this.keys),
      place: { address: account.baseUrl, proxy: proxy && new URL(proxy).origin },
      headers: () => this.headers,
      secrets: () => this.keys,
    });
    const retried = withRetry(withPace(exchanged, gate), { clock, random, waitMaxMs });
    const apiKey = () => this.apiKey;
    return withSlots(withKnownFaults(retried, { clock, apiKey }), concurrency);
  }

  send(request: Request, waiter: Waiter): Promise<Answer> {
    return this.sendCall(this.callOf(request, waiter));
  }

  /** Sends a call, for those who need it afterwards. */
  async sendCall(call: Call): Promise<Answer> {
    if (this.closing) throw cancelledError(CLOSED, call);
    this.open.add(call);
    try {
      return await this.throughSteps(call);
    } finally {
      this.open.delete(call);
    }
  }

  callOf({ kind, does, ...request }: Request, { cancel, onNotice }: Waiter): Call {
    const { method, path } = request;
    const scopes = kind && this.contract.resources[kind].definition.scopes;
    const action = does === "get" || does === "rotate" ? SCOPE_OF[does] : does;
    return {
      method,
      path,
      operation: `${method} ${path.split("?", 1)[0] ?? path}`,
      objectId: request.objectId,
      body: request.body,
      idempotencyKey: request.idempotencyKey,
      scope: action && scopes?.[action]?.scope,
      secrets: request.secrets ?? noSecrets,
      cancel,
      onNotice,
      attempt: 0,
      leftOpen: false,
      attemptCountMax: ATTEMPT_COUNT_MAX,
    };
  }

  /** Assumption: Idempotency: scope and window. No call lasts longer: no retry is safe after it. */
  cancellation(options: CallOptions | undefined): Cancellation {
    const { clock, signal } = this.injectables;
    return cancellationOf(clock, [signal, options?.signal], options?.timeoutMs, {
      deadlineMs: this.contract.idempotencyWindowMs,
      stop: options?.stop,
    });
  }

  /** Takes in what `/auth/test` says of the quota, in answer to what was sent at `sentAt`. */
  learn(sentAt: number, rate: RateReport): void {
    const now = this.injectables.clock.monotonicMs();
    this.budget.learn(now, now - sentAt, rate);
  }

  useKey(apiKey: string): void {
    // Earlier keys stay known, so that no message ever shows them.
    if (!this.keys.includes(apiKey)) this.keys.push(apiKey);
    this.apiKey = apiKey;
    this.headers = headersFor(this.configuration, apiKey);
  }

  close(): Promise<void> {
    for (const { cancel } of this.open) cancel.stop(CLOSED);
    return (this.closing ??= this.own?.close() ?? Promise.resolve());
  }
}

const noSecrets = (): readonly string[] => [];

const headersFor = ({ debugAuth, userAgent }: Configuration, apiKey: string) => ({
  authorization: `Bearer ${apiKey}`,
  "content-type": "application/json",
  "user-agent": userAgent,
  ...(debugAuth && { "x-debug-auth": "true" }),
});

const KEEP_ALIVE_MS = 30_000;

/**
 * The connection pool, through the proxy where there is one: undici's own agent ignores proxies and
 * certificates, and opens a socket per request.
 */
function dispatcherOf({ concurrency, proxy, ca }: Configuration): Dispatcher {
  // Certificates are added to those that Node trusts anyway, not put in their place.
  const tls = ca === undefined ? {} : { ca: [...getCACertificates("default"), ca] };
  const pool = { connections: concurrency, keepAliveTimeout: KEEP_ALIVE_MS };
  // Loaded here, and not by the whole package, which has a hundred modules for what nobody uses here:
  // they would take longer to load than all of the client.
  if (proxy === undefined) {
    const Direct = require("undici/lib/dispatcher/agent") as typeof Agent;
    return new Direct({ ...pool, connect: tls });
  }
  const Proxied = require("undici/lib/dispatcher/proxy-agent") as typeof ProxyAgent;
  // Tunnels to https need this method, which otherwise the whole package adds.
  const { prototype } = require("undici/lib/dispatcher/dispatcher") as typeof Dispatcher;
  prototype.connect = require("undici/lib/api/api-connect") as Dispatcher["connect"];
  return new Proxied({ ...pool, uri: proxy, requestTls: tls, proxyTls: tls });
}
