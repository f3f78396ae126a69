/** One list of the service as this process knows it: shared walks, own writes, proofs of absence. */
import { PER_PAGE_MAX, type ResolvedResource } from "../../contract";
import { message, type Message } from "../../messages";
import { noticeOf } from "../api";
import type { Notice, Query, Reading, Snapshot, SnapshotOptions } from "../api";
import type { Answer, Waiter } from "../chain/call";
import type { Clock } from "../clock";
import { ErpHostError, type ErrorCode } from "../errors";
import { redact } from "../redact";
import { AbsenceCheck, oddRecordError, type Asked } from "./absence";
import { OwnWrites, type OwnWrite } from "./own-writes";
import { pageFetcher } from "./page";
import { SharedWalk, type Listener } from "./shared-walk";
import { backwardWalk, type Walk, type WalkSource } from "./walk";

interface Parts {
  readonly resource: ResolvedResource;
  readonly clock: Clock;
  /** How long the list may lag behind a write. */
  readonly settleMs: number;
  /** Sends a GET for a shared walk. */
  readonly get: (path: string, waiter: Waiter) => Promise<Answer>;
}

/** The order in which a list can be walked without skipping. */
export const walkQuery = (resource: ResolvedResource): Query => ({
  sort: resource.wireNames["created_at"] ?? "created_at",
  order: "asc",
});

/** Of problems that no change of the list explains. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  records_without_id: "odd_record",
  list_not_paginated: "unproved_absence",
};

/** Why something may be missing from a walk; undefined where nothing is. */
export function gapIn(walk: Walk, operation: string): ErpHostError | undefined {
  const { odd, grade, problem, records } = walk;
  for (const [id, record] of odd) return oddRecordError(id, record.problem, operation);
  if (problem === undefined || grade === "counted" || grade === "moving") return undefined;
  // A fast walk is kept only where it has skipped nothing.
  if (problem.code === "pages_read_together") return undefined;
  const { [problem.code]: code = "list_changed" } = CODES;
  const isChange = code === "list_changed";
  const why = isChange ? message("list_changed", { total: records.size }) : problem;
  return new ErpHostError({ code, operation, why, retryable: isChange });
}

const REPORTED_MAX = 1_000;

export class List {
  readonly writes: OwnWrites;
  private readonly operation: string;
  private readonly query: Query;
  private readonly shared: SharedWalk;
  private readonly absence: AbsenceCheck;
  private readonly absenceListeners = new Set<Listener>();
  private readonly reported = new Set<string>();
  private current: Walk | undefined;
  private perPage = PER_PAGE_MAX;
  private trustedFrom = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: Parts) {
    const { resource, clock, settleMs } = parts;
    this.operation = `GET ${resource.path}`;
    this.query = walkQuery(resource);
    this.writes = new OwnWrites(settleMs);
    const source = this.source.bind(this);
    const keep = this.keep.bind(this);
    this.shared = new SharedWalk({ clock, operation: this.operation, source, keep });
    const walk = (cancel: Waiter["cancel"]) => this.walkBackward(cancel);
    this.absence = new AbsenceCheck({ clock, operation: this.operation, walk });
  }

  async snapshot({ maxAgeMs = 0, isNew }: SnapshotOptions, waiter: Waiter): Promise<Snapshot> {
    const walk = await (isNew ? this.shared.next(waiter) : this.walkOf(maxAgeMs, waiter));
    const { begunAt, serviceTime } = walk;
    const gap = () => gapIn(walk, this.operation);
    return { records: this.writes.applied(walk), gap, begunAt, serviceTime };
  }

  /** What the shared walk and own writes say; undefined: the walk does not show it. */
  async find(id: string, maxAgeMs: number, waiter: Waiter): Promise<Reading | undefined> {
    return this.readingOf(await this.walkOf(maxAgeMs, waiter), id);
  }

  /** Present or gone, proved by walks that were begun after `askedAt`. */
  async prove(asked: Asked, askedAt: number, { cancel, onNotice }: Waiter): Promise<Reading> {
    const { operation } = this;
    const { id } = asked;
    if (onNotice) this.absenceListeners.add(onNotice);
    onNotice?.(noticeOf("absence", message("absence_check", { id: redact(id, []), operation })));
    try {
      const { gone, walk } = await this.absence.ask(asked, askedAt, cancel);
      const reading = this.readingOf(walk, id);
      if (reading) return reading;
      if (!gone) throw new Error("a proof of presence names a walk that shows the object");
      return { state: "gone", serviceTime: walk.serviceTime };
    } finally {
      if (onNotice) this.absenceListeners.delete(onNotice);
    }
  }

  wrote(id: string, write: Omit<OwnWrite, "at">): void {
    this.writes.add(id, { ...write, at: this.parts.clock.monotonicMs() });
  }

  /** Whether a walk that is at most so old is there or under way. */
  hasWalk(maxAgeMs: number): boolean {
    return (
      this.usable(maxAgeMs) !== undefined || this.shared.joinable(this.trustedFrom) !== undefined
    );
  }

  /** A write may have been done, and nothing says so: what is known is old. */
  distrust(): void {
    this.trustedFrom = this.parts.clock.monotonicMs();
  }

  private walkOf(maxAgeMs: number, waiter: Waiter): Promise<Walk> {
    const known = this.usable(maxAgeMs);
    return known ? Promise.resolve(known) : this.shared.join(this.trustedFrom, waiter);
  }

  private usable(maxAgeMs: number): Walk | undefined {
    const { current } = this;
    if (!current || current.begunAt < this.trustedFrom || maxAgeMs <= 0) return undefined;
    return this.parts.clock.monotonicMs() - current.begunAt <= maxAgeMs ? current : undefined;
  }

  private async walkBackward(cancel: Waiter["cancel"]): Promise<Walk> {
    const source = this.source(cancel, this.absenceListeners);
    const walk = await backwardWalk(source, this.current?.pageCount ?? 1);
    this.keep(walk, this.absenceListeners);
    return walk;
  }

  private source(cancel: Waiter["cancel"], listeners: Iterable<Listener>): WalkSource {
    const { resource, clock, get } = this.parts;
    const onNotice = (notice: Notice) => {
      for (const listener of listeners) listener(notice);
    };
    return {
      operation: this.operation,
      perPage: this.perPage,
      now: () => clock.monotonicMs(),
      fetchPage: pageFetcher(resource, this.query, (path) => get(path, { cancel, onNotice })),
    };
  }

  private keep(walk: Walk, listeners: Iterable<Listener>): void {
    this.reportOdd(walk, listeners);
    this.perPage = walk.perPage;
    if (!this.current || walk.begunAt >= this.current.begunAt) {
      this.current = walk;
      this.writes.forgetBefore(walk.begunAt);
    }
    this.absence.addEvidence(walk);
  }

  private readingOf(walk: Walk, id: string): Reading | undefined {
    const own = this.writes.over(walk, id);
    if (own) return own;
    const listed = walk.records.get(id);
    if (listed) return { state: "present", record: listed, serviceTime: walk.serviceTime };
    const odd = walk.odd.get(id);
    if (odd) throw oddRecordError(id, odd.problem, this.operation);
    return undefined;
  }

  /** Reports each record that cannot be read once. */
  private reportOdd(walk: Walk, listeners: Iterable<Listener>): void {
    const { operation } = this;
    for (const { id, problem } of walk.odd.values()) {
      this.report(id ?? "", message("odd_record", { operation, id, why: problem }), listeners);
    }
    if (walk.namelessCount === 0) return;
    this.report("", message("odd_records", { operation, count: walk.namelessCount }), listeners);
  }

  private report(key: string, data: Message, listeners: Iterable<Listener>): void {
    if (this.reported.has(key) || this.reported.size >= REPORTED_MAX) return;
    this.reported.add(key);
    const notice = noticeOf("odd-record", data);
    for (const listener of listeners) listener(notice);
  }
}
