/** Walks through one list that those who ask at about the same time share. */
import type { Notice } from "../api";
import { ABANDONED, manualCancellation, unlessCancelled, type Cancellation } from "../cancellation";
import type { Waiter } from "../chain/call";
import type { Clock } from "../clock";
import { wholeWalk, type Walk, type WalkSource } from "./walk";

export type Listener = (notice: Notice) => void;

interface Parts {
  readonly clock: Clock;
  /** `GET /servers` */
  readonly operation: string;
  readonly source: (cancel: Cancellation, listeners: Iterable<Listener>) => WalkSource;
  /** Called with every walk, before those who wait for it get it. */
  readonly keep: (walk: Walk, listeners: Iterable<Listener>) => void;
}

interface Running {
  readonly begunAt: number;
  readonly promise: Promise<Walk>;
  readonly cancel: Cancellation;
  readonly listeners: Set<Listener>;
  waiterCount: number;
}

export class SharedWalk {
  private running: Running | undefined;

  constructor(private readonly parts: Parts) {}

  /** The walk under way where it was begun at `trustedFrom` or later, else a new one. */
  async join(trustedFrom: number, waiter: Waiter): Promise<Walk> {
    const walk = this.joinable(trustedFrom) ?? this.begin();
    walk.waiterCount += 1;
    if (waiter.onNotice) walk.listeners.add(waiter.onNotice);
    try {
      const { operation } = this.parts;
      return await unlessCancelled(walk.promise, waiter.cancel, { operation });
    } finally {
      walk.waiterCount -= 1;
      if (walk.waiterCount === 0) {
        if (this.running === walk) this.running = undefined;
        walk.cancel.cancel(ABANDONED);
      }
    }
  }

  /** One that begins from now on; those who ask while another is under way share the next. */
  async next(waiter: Waiter): Promise<Walk> {
    const { clock, operation } = this.parts;
    const askedAt = clock.monotonicMs();
    while (this.running && this.running.begunAt < askedAt) {
      // Whether it worked is for those who asked for it.
      const ended = Promise.allSettled([this.running.promise]);
      await unlessCancelled(ended, waiter.cancel, { operation });
    }
    return this.join(askedAt, waiter);
  }

  joinable(trustedFrom: number): Running | undefined {
    return this.running && this.running.begunAt >= trustedFrom ? this.running : undefined;
  }

  private begin(): Running {
    const cancel = manualCancellation();
    const listeners = new Set<Listener>();
    const begun: Running = {
      begunAt: this.parts.clock.monotonicMs(),
      promise: this.walk(cancel, listeners).finally(() => {
        if (this.running === begun) this.running = undefined;
      }),
      cancel,
      listeners,
      waiterCount: 0,
    };
    // Those who wait get a failure; where all have left, nobody has to.
    begun.promise.catch(() => undefined);
    this.running = begun;
    return begun;
  }

  private async walk(cancel: Cancellation, listeners: Set<Listener>): Promise<Walk> {
    const walk = await wholeWalk(this.parts.source(cancel, listeners));
    this.parts.keep(walk, listeners);
    return walk;
  }
}
