/** A gRPC client for calls with one message each way. */
import { connect, type Socket } from "node:net";
import { CallFailure, status, textOfHeader } from "./call-failure";
import { frame, Inbox } from "./framing";
import { headerBlock, type Headers } from "./hpack";
import { Http2Connection } from "./http2";
import { decodeMessage, encodeMessage, type Message } from "./protobuf";

/** What a peer offers under a path: `/package.Service/Method`. */
export interface RemoteMethod<Request, Answer> {
  readonly path: string;
  readonly request: Message<Request>;
  readonly answer: Message<Answer>;
}

/** One connection, without TLS, that is opened for the first call and again after it was lost. */
export class GrpcClient {
  private readonly sockets = new Set<Socket>();
  private connection: Http2Connection | undefined;

  /** @param address host and port */
  constructor(private readonly address: string) {}

  /**
   * @param signal cancels the call; without one it lasts as long as the connection
   * @throws CallFailure with the peer's status, or `unavailable` where the peer is gone
   */
  async call<Request, Answer>(
    method: RemoteMethod<Request, Answer>,
    request: Request,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const framed = frame(encodeMessage(method.request, request));
    return decodeMessage(method.answer, await this.exchange(method.path, framed, signal));
  }

  /** Ends calls in flight as well. */
  close(): void {
    this.connection = undefined;
    for (const socket of this.sockets) socket.destroy();
  }

  /** The one message of the answer, without its prefix. */
  private async exchange(path: string, framed: Buffer, signal?: AbortSignal): Promise<Buffer> {
    const inbox = new Inbox();
    // A failure without an answer has its status in the headers, anything else in the trailers.
    let reported: Headers = new Map();
    let cancel = (): void => undefined;
    const over = new Promise<string>((resolve) => {
      const stream = this.connected().request(headerBlock(requestHeaders(path, this.address)), {
        headers: (headers) => (reported = headers),
        data: (chunk) => inbox.add(chunk),
        end: () => resolve("it has no status"),
        cancel: resolve,
      });
      cancel = () => stream.reset();
      void stream.write(framed);
      stream.end();
    });
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();
    const why = await over;
    signal?.removeEventListener("abort", cancel);
    assertAnswered(reported, signal?.aborted === true, `${path}: ${why}`);
    return inbox.message();
  }

  private connected(): Http2Connection {
    if (!this.connection || this.connection.isGoingAway) {
      const { hostname, port } = new URL(`http://${this.address}`);
      const socket = connect(Number(port), hostname.replace(/[[\]]/g, ""));
      this.sockets.add(socket.on("close", () => this.sockets.delete(socket)));
      this.connection = new Http2Connection(socket);
    }
    return this.connection;
  }
}

const requestHeaders = (path: string, authority: string) => ({
  ":method": "POST",
  ":scheme": "http",
  ":path": path,
  ":authority": authority,
  "content-type": "application/grpc",
  te: "trailers",
});

/** @throws CallFailure */
function assertAnswered(reported: Headers, isCancelled: boolean, why: string): void {
  const code = Number(reported.get("grpc-status") ?? NaN);
  if (code === status.ok) return;
  if (code > 0) throw new CallFailure(code, textOfHeader(reported.get("grpc-message") ?? ""));
  throw new CallFailure(isCancelled ? status.cancelled : status.unavailable, why);
}
