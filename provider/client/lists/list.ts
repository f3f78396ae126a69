/** One list of the service as this process knows it: shared walks, own writes, verdicts. */
import { PER_PAGE_MAX, type ResolvedResource, type ServiceRecord } from "../../contract";
import type { Notice, Reading, Snapshot } from "../api";
import type { Answer } from "../chain/call";
import { manualCancellation, unlessCancelled, type Cancellation } from "../cancellation";
import type { Clock } from "../clock";
import { prevails, type OwnWrite } from "./own-writes";
import { pageFetcher, type Query } from "./page";
import { createCourt, oddRecordError, type Asked } from "./absence";
import { backwardWalk, fastWalk, type Walk, type WalkSource } from "./walk";

/** Sends a GET for a shared walk. */
export type GetPage = (
  path: string,
  cancel: Cancellation,
  onNotice: (notice: Notice) => void,
) => Promise<Answer>;

interface Parts {
  readonly resource: ResolvedResource;
  readonly clock: Clock;
  readonly settleMs: number;
  readonly get: GetPage;
  readonly warn: (notice: Notice) => void;
}

/** Who waits for a shared walk. */
export interface Waiter {
  readonly cancel: Cancellation;
  readonly onNotice: ((notice: Notice) => void) | undefined;
}

/** A walk under way, and who waits for it. */
interface Running {
  readonly begunAt: number;
  readonly promise: Promise<Walk>;
  readonly cancel: Cancellation;
  readonly listeners: Set<(notice: Notice) => void>;
  waiterCount: number;
}

export interface List {
  snapshot(maxAgeMs: number, waiter: Waiter): Promise<Snapshot>;
  /** What the shared walk and own writes say; undefined: the walk does not show it. */
  find(id: string, maxAgeMs: number, waiter: Waiter): Promise<Reading | undefined>;
  /** Present or gone, proved. */
  verdict(asked: Asked, askedAt: number, waiter: Waiter): Promise<Reading>;
  /** What an own write alone says; undefined: nothing. */
  own(id: string): OwnWrite | undefined;
  /** Reads what an own write and a fresh look at the object come to. */
  wrote(id: string, write: OwnWrite): void;
  /** Whether a walk that is at most so old is there or under way. */
  hasWalk(maxAgeMs: number): boolean;
  /** A write may have been done, and nothing tells: what is known is old. */
  distrust(): void;
}

/** Own writes that are remembered at most. */
const OWN_WRITES_MAX = 100_000;

/** The order in which a list can be walked without skipping. */
export const walkQuery = (resource: ResolvedResource): Query => ({
  sort: resource.wireNames["created_at"] ?? "created_at",
  order: "asc",
});

export function createList(parts: Parts): List {
  const { resource, clock, settleMs, warn } = parts;
  const operation = `GET ${resource.path}`;
  const query = walkQuery(resource);
  const writes = new Map<string, OwnWrite>();
  const toldOdd = new Set<string>();
  let current: Walk | undefined;
  let running: Running | undefined;
  let perPage = PER_PAGE_MAX;
  let trustedFrom = Number.NEGATIVE_INFINITY;
  const courtListeners = new Set<(notice: Notice) => void>();

  const source = (cancel: Cancellation, listeners: Set<(notice: Notice) => void>): WalkSource => ({
    operation,
    perPage,
    now: () => clock.monotonicMs(),
    fetchPage: pageFetcher(resource, query, (path) =>
      parts.get(path, cancel, (notice) => {
        for (const listener of listeners) listener(notice);
      }),
    ),
  });

  const tellOdd = (walk: Walk, listeners: Iterable<(notice: Notice) => void>) => {
    const told = (key: string) => toldOdd.has(key) || toldOdd.size >= 1_000 || !toldOdd.add(key);
    const say = (message: string) => {
      const notice: Notice = { kind: "odd-record", message };
      warn(notice);
      for (const listener of listeners) listener(notice);
    };
    for (const { id, problem } of walk.odd.values()) {
      if (!told(id ?? ""))
        say(`${operation} lists ${id ?? "a record"}, which can't be read: ${problem}.`);
    }
    if (walk.namelessCount > 0 && !told("")) {
      say(`${operation} lists ${walk.namelessCount} records without an id; they are left out.`);
    }
  };

  const keep = (walk: Walk, listeners: Iterable<(notice: Notice) => void>): Walk => {
    tellOdd(walk, listeners);
    perPage = walk.perPage;
    if (!current || walk.begunAt >= current.begunAt) {
      current = walk;
      for (const [id, { at }] of writes) if (at + settleMs < walk.begunAt) writes.delete(id);
    }
    court.witness(walk);
    return walk;
  };

  const court = createCourt({
    clock,
    operation,
    walk: async () => {
      const from = source(manualCancellation(), courtListeners);
      return keep(await backwardWalk(from, current?.pageCount ?? 1), courtListeners);
    },
  });

  const begin = (): Running => {
    const cancel = manualCancellation();
    const listeners = new Set<(notice: Notice) => void>();
    const from = source(cancel, listeners);
    const walked = fastWalk(from).then(async (walk) => {
      if (walk.countsAddUp) return keep(walk, listeners);
      // Something moved between its pages: the order that skips nothing is slower and safer.
      return keep(
        await backwardWalk({ ...from, perPage: walk.perPage }, walk.pageCount),
        listeners,
      );
    });
    const begun: Running = {
      begunAt: clock.monotonicMs(),
      promise: walked.finally(() => {
        if (running === begun) running = undefined;
      }),
      cancel,
      listeners,
      waiterCount: 0,
    };
    // Those who wait hear of a failure; where all have left, nobody has to.
    begun.promise.catch(() => undefined);
    running = begun;
    return begun;
  };

  const join = async (walk: Running, waiter: Waiter): Promise<Walk> => {
    walk.waiterCount += 1;
    if (waiter.onNotice) walk.listeners.add(waiter.onNotice);
    try {
      return await unlessCancelled(walk.promise, waiter.cancel, { operation });
    } finally {
      walk.waiterCount -= 1;
      if (walk.waiterCount === 0) {
        if (running === walk) running = undefined;
        walk.cancel.cancel({ code: "aborted", text: "nobody waits for it any more" });
      }
    }
  };

  const usable = (maxAgeMs: number): Walk | undefined => {
    if (!current || current.begunAt < trustedFrom) return undefined;
    return clock.monotonicMs() - current.begunAt <= maxAgeMs && maxAgeMs > 0 ? current : undefined;
  };

  const joinable = () => (running && running.begunAt >= trustedFrom ? running : undefined);

  const walkOf = (maxAgeMs: number, waiter: Waiter): Promise<Walk> => {
    const known = usable(maxAgeMs);
    return known ? Promise.resolve(known) : join(joinable() ?? begin(), waiter);
  };

  const readingOf = (walk: Walk, id: string): Reading | undefined => {
    const own = writes.get(id);
    const listed = walk.records.get(id);
    if (own && prevails(own, listed, walk.begunAt, settleMs) === "own") return ownReading(own);
    if (listed) return { state: "present", record: listed, serviceTime: walk.serviceTime };
    const odd = walk.odd.get(id);
    if (odd) throw oddRecordError(id, odd.problem, operation);
    return undefined;
  };

  return {
    async snapshot(maxAgeMs, waiter) {
      const walk = await walkOf(maxAgeMs, waiter);
      const { begunAt, serviceTime } = walk;
      return { records: withOwn(walk, writes, settleMs), begunAt, serviceTime };
    },
    async find(id, maxAgeMs, waiter) {
      return readingOf(await walkOf(maxAgeMs, waiter), id);
    },
    async verdict(about, askedAt, waiter) {
      const { id } = about;
      const { onNotice } = waiter;
      if (onNotice) courtListeners.add(onNotice);
      onNotice?.({
        kind: "verdict",
        message: `${id} is not in the list (${operation}); reading it twice more to be sure that it is gone.`,
      });
      try {
        const asked = court.ask(about, askedAt);
        const { gone, walk } = await unlessCancelled(asked, waiter.cancel, {
          operation,
          objectId: id,
        });
        const reading = readingOf(walk, id);
        if (reading) return reading;
        if (!gone) throw new Error("a verdict of present names a walk that shows the object");
        return { state: "gone", serviceTime: walk.serviceTime };
      } finally {
        if (onNotice) courtListeners.delete(onNotice);
      }
    },
    own: (id) => writes.get(id),
    wrote(id, write) {
      writes.delete(id);
      if (writes.size >= OWN_WRITES_MAX) {
        const [oldest] = writes.keys();
        if (oldest !== undefined) writes.delete(oldest);
      }
      writes.set(id, write);
    },
    hasWalk: (maxAgeMs) => usable(maxAgeMs) !== undefined || joinable() !== undefined,
    distrust() {
      trustedFrom = clock.monotonicMs();
    },
  };
}

/** What an own write says by itself. */
export const ownReading = ({ record, serviceTime }: OwnWrite): Reading =>
  record ? { state: "present", record, serviceTime } : { state: "gone", serviceTime };

/** A walk's records with own writes put over them; the walk's own map where there are none. */
function withOwn(
  walk: Walk,
  writes: ReadonlyMap<string, OwnWrite>,
  settleMs: number,
): ReadonlyMap<string, ServiceRecord> {
  let records: Map<string, ServiceRecord> | undefined;
  for (const [id, own] of writes) {
    if (prevails(own, walk.records.get(id), walk.begunAt, settleMs) === "list") continue;
    records ??= new Map(walk.records);
    if (own.record) records.set(id, own.record);
    else records.delete(id);
  }
  return records ?? walk.records;
}
