/** Which run events start: at most one at a time, and one more for all that come meanwhile. */
import type { WebhookEvent } from "../../provider/client/people/webhooks";

/** An event that was verified. */
export interface Received {
  /** The same on every delivery of one event. */
  readonly id: string;
  readonly event: WebhookEvent;
  /** Length of the body that it came in. */
  readonly bytes: number;
}

/** What one run is started for. */
export interface Batch {
  /** The oldest first, at most `EVENTS_MAX` and `BYTES_MAX`. */
  readonly events: readonly Received[];
  /** How many more there were. */
  readonly leftOut: number;
}

/** Events that a run is shown; it has to look at the service in any case. */
const EVENTS_MAX = 100;
/** What they may take together, so that no number of large ones ends this process. */
const BYTES_MAX = 8 * 1024 * 1024;

interface Parts {
  readonly debounceMs: number;
  readonly after: (ms: number, work: () => void) => () => void;
  /** Never rejects. */
  readonly run: (batch: Batch) => Promise<void>;
}

export class Queue {
  private events: Received[] = [];
  private leftOut = 0;
  private running: Promise<void> | undefined;
  private cancel: (() => void) | undefined;
  private isClosed = false;

  constructor(private readonly parts: Parts) {}

  /** Starts a run once no event has come for the debounce, or right after the run that is under way. */
  add(received: Received): void {
    if (this.isClosed) return;
    const bytes = this.events.reduce((sum, each) => sum + each.bytes, received.bytes);
    if (this.events.length < EVENTS_MAX && bytes <= BYTES_MAX) this.events.push(received);
    else this.leftOut += 1;
    this.schedule();
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Takes no more events, and waits for the run that is under way. What waited is dropped. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel?.();
    this.events = [];
    await this.running;
  }

  private schedule(): void {
    if (this.running !== undefined || this.isClosed) return;
    // The first event decides when: a stream of them cannot put the run off for ever.
    this.cancel ??= this.parts.after(this.parts.debounceMs, () => this.start());
  }

  private start(): void {
    this.cancel = undefined;
    const batch = { events: this.events, leftOut: this.leftOut };
    this.events = [];
    this.leftOut = 0;
    this.running = this.parts.run(batch).finally(() => {
      this.running = undefined;
      if (this.events.length > 0) this.schedule();
    });
  }
}
