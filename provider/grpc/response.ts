/** The server's side of one call: the messages that it answers, and how the call ends. */
import { constants, type ServerHttp2Stream } from "node:http2";
import { type CallFailure, failureHeaders, status } from "./call-failure";
import { frame, grpcContent } from "./framing";

const responseHeaders = {
  [constants.HTTP2_HEADER_STATUS]: 200,
  ...grpcContent,
  "grpc-accept-encoding": "identity",
};

export class Response {
  private trailers: Record<string, string> = { "grpc-status": String(status.ok) };

  constructor(private readonly stream: ServerHttp2Stream) {}

  /** Answers with no message yet, and leaves the call open. */
  start(): void {
    this.stream.respond(responseHeaders, { waitForTrailers: true });
    this.stream.on("wantTrailers", () => this.stream.sendTrailers(this.trailers));
  }

  /** The only message of the answer, and the end of the call. */
  finishWith(message: Buffer): void {
    if (this.stream.destroyed) return;
    const framed = frame(message);
    this.start();
    this.stream.end(framed);
  }

  /**
   * Sends messages no faster than the peer makes room for them: the next is asked for when the last
   * has gone. Leaving the loop early, because the call was cancelled, ends the source as well.
   */
  async sendAll(messages: AsyncIterable<Buffer>): Promise<void> {
    for await (const message of messages) {
      if (this.stream.destroyed) return;
      const framed = frame(message);
      if (!this.stream.headersSent) this.start();
      await new Promise((resolve) => this.stream.write(framed, resolve));
    }
    if (this.stream.destroyed) return;
    if (!this.stream.headersSent) this.start();
    this.stream.end();
  }

  /** Ends the call with a failure, also after messages. */
  fail(failure: CallFailure): void {
    if (this.stream.destroyed) return;
    const reported = failureHeaders(failure);
    if (this.stream.headersSent) {
      this.trailers = reported;
      this.stream.end();
    } else {
      this.stream.respond({ ...responseHeaders, ...reported }, { endStream: true });
    }
  }
}
