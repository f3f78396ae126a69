/**
 * Objects of one kind that this process creates and waits for. They are the newest of their list: one
 * look at its first page serves all waits, and further pages are read only for what is due and not
 * shown yet. What says that an object is ready is its record, asked for after the create.
 */
import type { CallOptions, Clock, Core, Page } from "../../client";
import { PER_PAGE_MAX, type Contract, type ResourceName, type ServiceRecord } from "../../contract";
import { createdMs } from "../values/time";
import type { OperationOptions } from "../types";

interface Looking {
  readonly core: Core;
  readonly contract: Contract;
  readonly kind: { readonly resource: ResourceName };
  readonly calls: CallOptions;
  readonly options: OperationOptions;
  pause(ms: number): Promise<void>;
}

/**
 * A look waits for the creates that are under way, unless none is answered for so long, or for as
 * long as the last one took.
 */
const QUIET_MS = 200;
const PAUSE_MS = 10;
/** Creates that are not waited for may never be quiet. */
const HELD_MS_MAX = 5_000;

export class Wait {
  /** Aborted once nothing is left to wait for. */
  readonly over = new AbortController();
  isDue = false;
  /** When the page was asked for that showed it last. */
  shownAt = Number.NEGATIVE_INFINITY;

  constructor(
    /** The newest that was seen. */
    public record: ServiceRecord,
    /** What was asked for earlier says nothing of it. Monotonic milliseconds. */
    readonly since: number,
    private readonly isOver: (record: ServiceRecord) => boolean,
  ) {}

  show(record: ServiceRecord | undefined, askedAt: number): void {
    if (!record || askedAt < this.since) return;
    this.record = record;
    this.shownAt = askedAt;
  }

  /** Ends its pause where nothing is left to wait for. */
  end(): void {
    if (this.isOver(this.record)) this.over.abort();
  }
}

/** Shows waits the whole list, from a walk that all share and that is at most so old. */
export async function lookAtAll(op: Looking, waits: Iterable<Wait>, maxAgeMs = 0): Promise<void> {
  const options = { ...op.calls, maxAgeMs };
  const { records, begunAt } = await op.core.snapshot(op.kind.resource, options);
  for (const wait of waits) wait.show(records.get(wait.record.id), begunAt);
}

interface Look {
  readonly op: Looking;
  begunAt: number;
  done: Promise<void>;
}

export class AwaitedList {
  readonly waits = new Set<Wait>();
  private current: Look | undefined;
  /** The last look: when it began, and how old the oldest is that it would have shown. */
  private last = { begunAt: Number.NEGATIVE_INFINITY, reachedMs: 0 };

  /** Creates of the kind that are under way: looks wait for those, which will be looked for as well. */
  readonly creates = { underWay: 0, answeredAt: Number.NEGATIVE_INFINITY, tookMs: 0 };

  constructor(private readonly clock: Clock) {}

  /** Looks for an object, unless a look that is at most so old has covered it. */
  async look(op: Looking, wait: Wait, maxAgeMs: number): Promise<void> {
    wait.isDue = true;
    try {
      while (!wait.over.signal.aborted && !this.covers(wait, maxAgeMs)) {
        const look = this.current ?? this.begin(op);
        const isCut = await look.done.then(
          () => false,
          (error: unknown) => {
            // The end of another's operation is none of this one's.
            if (look.op === op || !isEnded(look.op)) throw error;
            return true;
          },
        );
        // Another's, which began before this wait was due, may not have looked for it.
        const isMine = look.op === op || this.covers(wait, Infinity);
        if (!isCut && look.begunAt >= wait.since && isMine) return;
      }
    } finally {
      wait.isDue = false;
    }
  }

  private covers({ record, since, shownAt }: Wait, maxAgeMs: number): boolean {
    const { begunAt, reachedMs } = this.last;
    if (begunAt < Math.max(since, this.clock.monotonicMs() - maxAgeMs)) return false;
    return shownAt >= begunAt || createdMs(record) > reachedMs;
  }

  private begin(op: Looking): Look {
    const look: Look = { op, begunAt: 0, done: Promise.resolve() };
    this.current = look;
    look.done = this.run(op, look).finally(() => {
      this.current = undefined;
      // Only now: what those create whose pauses end would move the rest to a further page.
      for (const wait of this.waits) wait.end();
    });
    return look;
  }

  private async run(op: Looking, look: Look): Promise<void> {
    const { clock, creates } = this;
    const heldFrom = clock.monotonicMs();
    const isQuiet = (now: number): boolean =>
      now - creates.answeredAt >= Math.max(QUIET_MS, creates.tookMs);
    while (creates.underWay > 0 && !isQuiet(clock.monotonicMs())) {
      if (clock.monotonicMs() - heldFrom >= HELD_MS_MAX) break;
      await op.pause(PAUSE_MS);
    }
    look.begunAt = clock.monotonicMs();
    const fetchPage = op.core.newest(op.kind.resource, op.calls);
    const pagesMax = 1 + Math.ceil(this.waits.size / PER_PAGE_MAX);
    let perPage = PER_PAGE_MAX;
    for (let number = 1; ; number += 1) {
      const askedAt = clock.monotonicMs();
      const page = await fetchPage(number, perPage);
      perPage = page.pagination?.per_page ?? perPage;
      const records = new Map(page.records.map((record) => [record.id, record]));
      for (const wait of this.waits) wait.show(records.get(wait.record.id), askedAt);
      const reachedMs = reachedBy(page);
      this.last = { begunAt: look.begunAt, reachedMs };
      const missing = [...this.waits].filter(
        ({ isDue, since, shownAt }) => isDue && since <= look.begunAt && shownAt < look.begunAt,
      );
      // A list may lag behind a create: then the object is on no page.
      const mayLag = ({ record, since }: Wait): boolean =>
        createdMs(record) > reachedMs && askedAt < since + op.contract.settleWindowMs;
      if (missing.every(mayLag)) return;
      if (number === pagesMax || !page.pagination?.has_next || reachedMs === Infinity) {
        this.last.reachedMs = 0;
        return lookAtAll(op, this.waits);
      }
    }
  }
}

const isEnded = ({ options: { signal, stop } }: Looking): boolean =>
  signal?.aborted === true || stop?.aborted === true;

/** The oldest time of a page; infinite where the newest are not first, so that it proves nothing. */
function reachedBy({ records }: Page): number {
  const times = records.map(createdMs);
  const isKept = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? 0));
  return isKept ? (times.at(-1) ?? 0) : Infinity;
}
