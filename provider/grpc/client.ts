/** A gRPC client for calls with one message each way, over Node's own HTTP/2. */
import { connect, constants } from "node:http2";
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import { CallFailure, status, textOfHeader } from "./call-failure";
import { frame, Inbox } from "./framing";
import { decodeMessage, encodeMessage, type Message } from "./protobuf";

/** What a peer offers under a path: `/package.Service/Method`. */
export interface RemoteMethod<Request, Answer> {
  readonly path: string;
  readonly request: Message<Request>;
  readonly answer: Message<Answer>;
}

/** One connection, without TLS, that is opened for the first call and again after it was lost. */
export class GrpcClient {
  private session: ClientHttp2Session | undefined;

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
    const stream = this.connected().request(
      { ...requestHeaders, [constants.HTTP2_HEADER_PATH]: method.path },
      signal && { signal },
    );
    stream.end(framed);
    return decodeMessage(method.answer, await answerOf(stream, method.path));
  }

  /** Ends calls in flight as well. */
  close(): void {
    this.session?.destroy();
  }

  private connected(): ClientHttp2Session {
    if (this.session && !this.session.closed && !this.session.destroyed) return this.session;
    const session = connect(`http://${this.address}`, trustedPeer);
    session.on("error", () => undefined); // Each call reports its own end.
    this.session = session;
    return session;
  }
}

/** The engine, whose answers may be large: Node would refuse calls while 10 MB of them wait. */
const trustedPeer = {
  settings: { initialWindowSize: 1024 * 1024 },
  maxSessionMemory: Number.MAX_SAFE_INTEGER,
};

const requestHeaders = {
  [constants.HTTP2_HEADER_METHOD]: "POST",
  [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
  [constants.HTTP2_HEADER_TE]: "trailers",
};

/** The one message of the answer, without its prefix. */
async function answerOf(stream: ClientHttp2Stream, path: string): Promise<Buffer> {
  const inbox = new Inbox();
  await new Promise<void>((resolve, reject) => {
    let reported: IncomingHttpHeaders = {};
    // A failure without an answer has its status in the headers, anything else in the trailers.
    const report = (headers: IncomingHttpHeaders): void => {
      reported = headers;
    };
    stream.on("response", report).on("trailers", report);
    stream.on("data", (chunk: Buffer) => inbox.add(chunk));
    stream.on("error", (error: Error) => {
      const code = error.name === "AbortError" ? status.cancelled : status.unavailable;
      reject(new CallFailure(code, `${path}: ${error.message}`));
    });
    stream.on("close", () => {
      const failure = failureIn(reported, path);
      if (failure) reject(failure);
      else resolve();
    });
  });
  return inbox.message();
}

function failureIn(reported: IncomingHttpHeaders, path: string): CallFailure | undefined {
  const code = reported["grpc-status"];
  if (code === undefined) {
    return new CallFailure(status.unavailable, `${path}: the connection ended before the answer`);
  }
  if (Number(code) === status.ok) return undefined;
  return new CallFailure(Number(code), textOfHeader(String(reported["grpc-message"] ?? "")));
}
