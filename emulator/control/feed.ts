/** Server-sent events: which parts of the state have changed, for pages that show them. */
import type { ServerResponse } from "node:http";
import { ServiceError } from "../http/errors";
import { wait } from "../time/clock";

/** Pages that are open at a time, on all machines. */
const STREAMS_MAX = 50;
/** Changes within this time are one event, however many there are. */
const PAUSE_MS = 150;
/** After this number of pauses what goes by time has changed; it also shows whether a reader is there. */
const PAUSES_OF_A_TICK = 100;
/** The clock, by which keys end, and the windows of rate limits. */
const BY_TIME = ["settings", "requests"];
/** What a reader may leave unread. */
const BACKLOG_BYTES_MAX = 16_384;

/** As much of an answer as a stream needs. */
export type Stream = Pick<
  ServerResponse,
  "writeHead" | "write" | "on" | "destroy" | "writableLength"
>;

/** Topics are tables, `requests` and `faults`. Events hold no state: one may be missed. */
export class Feed {
  private readonly streams = new Set<Stream>();
  private readonly topics = new Set<string>();
  private isRunning = false;

  /** Says that something has changed. Costs nothing while nobody looks. */
  touch(topic: string): void {
    if (this.streams.size > 0) this.topics.add(topic);
  }

  /** Answers with a stream, until the reader leaves or falls behind. */
  open(stream: Stream): void {
    if (this.streams.size >= STREAMS_MAX) {
      const message = `${STREAMS_MAX} pages are open already; close one`;
      throw new ServiceError("rate_limit_exceeded", message, { retry_after: 5 });
    }
    stream.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    });
    stream.write("retry: 1000\n\n");
    stream.on("close", () => this.streams.delete(stream));
    this.streams.add(stream);
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    for (let pauses = 1; this.streams.size > 0; pauses += 1) {
      await wait(PAUSE_MS);
      if (pauses % PAUSES_OF_A_TICK === 0) BY_TIME.forEach((topic) => this.topics.add(topic));
      if (this.topics.size > 0) this.send(`data: ${JSON.stringify([...this.topics])}\n\n`);
      this.topics.clear();
    }
    this.isRunning = false;
  }

  private send(event: string): void {
    for (const stream of this.streams) {
      if (stream.writableLength <= BACKLOG_BYTES_MAX) stream.write(event);
      else stream.destroy();
    }
  }
}
