/** Calls that change nothing: lists, single objects, and the test of the key. */
import { accountIdOf, authTestSchema, isRecord, readTwin, TWIN_HEADER } from "../../contract";
import type { AuthTest, Meta, ResourceName, TwinOf, Values } from "../../contract";
import { message } from "../../messages";
import { noticeOf } from "../api";
import type { CallOptions, FetchPage, Page, Query, Reading, ReadOptions, Snapshot } from "../api";
import type { SnapshotOptions } from "../api";
import { debugOf, type DebugAuth } from "../chain/observe";
import { headerOf, type Waiter } from "../chain/call";
import { hasCode } from "../errors";
import { gapIn, walkQuery } from "../lists/list";
import { ownReading } from "../lists/own-writes";
import { pageFetcher } from "../lists/page";
import { wholeWalk } from "../lists/walk";
import { resetOf } from "../quota/rate-headers";
import { recordOf } from "./answered-record";
import { assertId, incompleteError, invalidResponse, itemPath, Service } from "./service";

/** What `GET /auth/test` answers, what it says of the account, and what came with it. */
export type AuthTested = AuthTest & {
  readonly meta: Meta | undefined;
  /** What the service calls the account, where it says anything. */
  readonly accountId: string | undefined;
  /** The account that the service, an emulator, says it is a twin of. */
  readonly twinOf: TwinOf | undefined;
  readonly debug: DebugAuth | undefined;
};

interface Asked {
  readonly kind: ResourceName;
  readonly id: string;
  readonly askedAt: number;
}

export class Reads extends Service {
  authTest(options?: CallOptions): Promise<AuthTested> {
    const { account, chain, contract, clock } = this;
    return this.within(options, async (waiter) => {
      const call = chain.callOf({ method: "GET", path: contract.authTestPath }, waiter);
      const answer = await chain.sendCall(call);
      // As good as a 401: whoever asks wants to know whether the key works.
      if (isRecord(answer.data) && answer.data["authenticated"] === false) {
        const why = message("key_refused", { base: account.baseUrl });
        throw invalidResponse(call, answer, why).with({ code: "invalid_token" });
      }
      const parsed = authTestSchema.safeParse(answer.data);
      if (!parsed.success) {
        throw incompleteError(call, answer, "authenticated, key_id and permissions");
      }
      const rate = parsed.data.rate_limit;
      if (rate) {
        const reset = resetOf(rate.reset, answer.meta?.timestamp, clock.wallMs());
        chain.learn(answer.sentAt, { limit: rate.limit, remaining: rate.remaining, ...reset });
      }
      return {
        ...parsed.data,
        meta: answer.meta,
        accountId: accountIdOf(parsed.data),
        twinOf: readTwin(headerOf(answer.headers, TWIN_HEADER.toLowerCase())),
        debug: debugOf(answer.headers),
      };
    });
  }

  /** All records of a list, from one shared walk. */
  async snapshot(kind: ResourceName, options?: SnapshotOptions): Promise<Snapshot> {
    const list = this.listOf(kind);
    return this.within(options, (waiter) => list.snapshot(options ?? {}, waiter));
  }

  /** One object, from the shared walk (or an item GET where the profile has one). */
  async read(kind: ResourceName, id: string, options?: ReadOptions): Promise<Reading> {
    const asked = { kind, id, askedAt: this.clock.monotonicMs() };
    assertId(id);
    return this.within(options, (waiter) => this.readOne(asked, options, waiter));
  }

  /** A list with filters that only the service understands; never shared. */
  async list(
    kind: ResourceName,
    query: Values,
    options?: CallOptions,
  ): Promise<Pick<Snapshot, "records" | "gap">> {
    const resource = this.contract.resources[kind];
    const operation = `GET ${resource.path}`;
    return this.within(options, async (waiter) => {
      const wire = { ...this.wireQuery(kind, query), ...walkQuery(resource) };
      const walk = await wholeWalk({
        operation,
        now: () => this.clock.monotonicMs(),
        perPage: 100,
        fetchPage: this.fetcher(kind, wire, waiter),
      });
      return { records: walk.records, gap: () => gapIn(walk, operation) };
    });
  }

  /** Pages of a list with any query, each asked for when it is needed. */
  pages(kind: ResourceName, query: Query, options?: CallOptions): FetchPage {
    return (number, perPage) =>
      this.within(options, async (waiter) => {
        const page = await this.fetcher(kind, query, waiter)(number, perPage);
        this.reportOdd(kind, page, waiter);
        return page;
      });
  }

  /** Pages of a list, its newest objects first, where own writes prevail over what lags behind them. */
  newest(kind: ResourceName, options?: CallOptions): FetchPage {
    const query = { ...walkQuery(this.contract.resources[kind]), order: "desc" };
    const { writes } = this.listOf(kind);
    return (number, perPage) =>
      this.within(options, async (waiter) => {
        const begunAt = this.clock.monotonicMs();
        const page = await this.fetcher(kind, query, waiter)(number, perPage);
        return { ...page, records: writes.shown(page.records, begunAt) };
      });
  }

  private reportOdd(kind: ResourceName, page: Page, waiter: Waiter): void {
    const operation = `GET ${this.contract.resources[kind].path}`;
    for (const { id, problem } of page.odd) {
      const data = message("odd_record", { operation, id, why: problem });
      waiter.onNotice?.(noticeOf("odd-record", data));
    }
  }

  private wireQuery(kind: ResourceName, query: Values): Query {
    const { wireNames } = this.contract.resources[kind];
    return Object.fromEntries(
      Object.entries(query)
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => [wireNames[name] ?? name, String(value)]),
    );
  }

  private fetcher(kind: ResourceName, query: Query, waiter: Waiter): FetchPage {
    const { contract, chain } = this;
    return pageFetcher(contract.resources[kind], query, (path) =>
      chain.send({ kind, does: "list", method: "GET", path }, waiter),
    );
  }

  protected async readOne(
    { kind, id, askedAt }: Asked,
    options: ReadOptions = {},
    waiter: Waiter,
  ): Promise<Reading> {
    const list = this.listOf(kind);
    const own = list.writes.settling(id, this.clock.monotonicMs());
    // This process's own DELETE was answered: the service has said so itself.
    if (own && !own.record) return ownReading(own);
    const { maxAgeMs = 0, expectGone = false, createdAt } = options;
    const item = this.contract.resources[kind].operations.get !== undefined;
    // One call for one object, unless the caller shares walks with others.
    if (item && (expectGone || (maxAgeMs === 0 && !list.hasWalk(0)))) {
      return this.readItem(kind, id, waiter);
    }
    const reading = expectGone ? undefined : await list.find(id, maxAgeMs, waiter);
    if (reading) return reading;
    return item ? this.readItem(kind, id, waiter) : list.prove({ id, createdAt }, askedAt, waiter);
  }

  /** One "not found" may be a fault of the moment: gone is what is not found twice. */
  private async readItem(kind: ResourceName, id: string, waiter: Waiter): Promise<Reading> {
    const { contract, clock, chain } = this;
    const resource = contract.resources[kind];
    const path = itemPath(resource.itemPath, id);
    const own = this.listOf(kind).writes.settling(id, clock.monotonicMs());
    for (let missed = 0; missed < 2; missed += 1) {
      const request = { kind, does: "get", method: "GET", path, objectId: id } as const;
      const call = chain.callOf(request, waiter);
      try {
        const answer = await chain.sendCall(call);
        if (own && !own.record) return ownReading(own);
        const record = recordOf(resource, call, answer, { body: {}, before: undefined });
        return { state: "present", record, serviceTime: answer.meta?.timestamp };
      } catch (error) {
        if (!hasCode(error, "not_found")) throw error;
        if (own) return ownReading(own);
      }
    }
    return { state: "gone", serviceTime: undefined };
  }
}
