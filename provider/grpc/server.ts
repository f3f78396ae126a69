/** gRPC over Node's own HTTP/2, so that a provider starts quickly: no library is loaded for it. */
import {
  constants,
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { CallFailure, failureHeaders, status } from "./call-failure";
import { frame, grpcContent, Inbox, trustedPeer, WINDOW_BYTES } from "./framing";
import { decodeMessage, encodeMessage, type Message } from "./protobuf";
import { MalformedMessage } from "./wire-format";

/** Takes a message's bytes and answers a message's bytes. */
export type Unary = (request: Buffer) => Promise<Buffer>;

/** A method together with its messages. */
export type TypedUnary<Request, Answer> = Unary & {
  readonly request: Message<Request>;
  readonly answer: Message<Answer>;
};

/** Decodes the request for `run`, and encodes what it answers. */
export function unary<Request, Answer>(
  request: Message<Request>,
  answer: Message<Answer>,
  run: (request: Request) => Answer | Promise<Answer>,
): TypedUnary<Request, Answer> {
  const method = async (bytes: Buffer): Promise<Buffer> =>
    encodeMessage(answer, await run(decodeMessage(request, bytes)));
  return Object.assign(method, { request, answer });
}

export type Methods = Readonly<Record<string, TypedUnary<unknown, unknown>>>;

/**
 * Takes a message's bytes and answers any number of messages, each of which is asked for once the
 * peer has room for it. The signal aborts when the peer cancels the call; the source should then end.
 */
export type ServerStream = (request: Buffer, signal: AbortSignal) => AsyncIterable<Buffer>;

/** A method that answers a stream, together with its messages. */
export type TypedStream<Request, Answer> = ServerStream & {
  readonly request: Message<Request>;
  readonly answer: Message<Answer>;
};

/** Decodes the request for `run`, and encodes each of its answers. */
export function streamed<Request, Answer>(
  request: Message<Request>,
  answer: Message<Answer>,
  run: (request: Request, signal: AbortSignal) => AsyncIterable<Answer>,
): TypedStream<Request, Answer> {
  const method = async function* (bytes: Buffer, signal: AbortSignal): AsyncGenerator<Buffer> {
    for await (const each of run(decodeMessage(request, bytes), signal)) {
      yield encodeMessage(answer, each);
    }
  };
  return Object.assign(method, { request, answer });
}

export type Streams = Readonly<Record<string, TypedStream<unknown, unknown>>>;

export interface GrpcOptions {
  /** By path: `/package.Service/Method`. */
  readonly methods: Pick<ReadonlyMap<string, Unary>, "get">;
  readonly streams?: Pick<ReadonlyMap<string, ServerStream>, "get">;
  /** Paths of streams that are held open until the end. */
  readonly held: ReadonlySet<string>;
  /** Receives failures that are the provider's own fault. */
  readonly onFault: (path: string, error: unknown) => void;
  /** Requires every client to present the one certificate. */
  readonly tls?: {
    readonly key: string;
    readonly certificate: string;
    readonly clientCertificate: string;
  };
}

/** Calls at a time. */
const STREAMS_MAX = 4096;

/** A server that is not listening yet. */
export function createGrpcServer(options: GrpcOptions): Http2Server {
  const session = {
    ...trustedPeer,
    settings: { ...trustedPeer.settings, maxConcurrentStreams: STREAMS_MAX },
  };
  const server = options.tls
    ? createSecureServer({
        ...session,
        key: options.tls.key,
        cert: options.tls.certificate,
        ca: options.tls.clientCertificate,
        requestCert: true,
        rejectUnauthorized: true,
        minVersion: "TLSv1.2",
        ALPNProtocols: ["h2"],
      })
    : createServer(session);
  server.on("session", (connection) => {
    connection.setLocalWindowSize(WINDOW_BYTES * 4);
    connection.on("error", () => undefined); // The peer went away; `close` follows.
  });
  server.on("stream", (stream, headers) => serve(options, stream, headers));
  return server;
}

function serve(
  options: GrpcOptions,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): void {
  stream.on("error", () => undefined); // A cancelled call; nobody reads an answer.
  const path = String(headers[":path"]);
  if (headers[":method"] !== "POST" || !isGrpc(headers)) {
    stream.respond({ [constants.HTTP2_HEADER_STATUS]: 415 }, { endStream: true });
    return;
  }
  const response = new Response(stream);
  if (options.held.has(path)) {
    response.start();
    stream.resume();
    return;
  }
  answer(options, path, stream, response)
    .catch((error: unknown) => {
      if (!(error instanceof CallFailure) && !(error instanceof MalformedMessage)) {
        options.onFault(path, error);
      }
      response.fail(failureOf(path, error));
    })
    // Not even the failure could be written: this call ends, and no other.
    .catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
}

const isGrpc = (headers: IncomingHttpHeaders): boolean =>
  headers["content-type"]?.startsWith("application/grpc") === true;

async function answer(
  { methods, streams }: GrpcOptions,
  path: string,
  stream: ServerHttp2Stream,
  response: Response,
): Promise<void> {
  const method = methods.get(path);
  const source = streams?.get(path);
  if (method) {
    response.finishWith(await method(await receive(stream)));
  } else if (source) {
    const cancelled = new AbortController();
    stream.once("close", () => cancelled.abort());
    await response.sendAll(source(await receive(stream), cancelled.signal));
  } else {
    throw new CallFailure(status.unimplemented, `there is no method ${path}`);
  }
}

/** The one message that a call brings, without its prefix. */
function receive(stream: ServerHttp2Stream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const inbox = new Inbox();
    const attempt = (does: () => void): void => {
      try {
        does();
      } catch (error) {
        stream.removeAllListeners("data").resume();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    stream.on("data", (chunk: Buffer) => attempt(() => inbox.add(chunk)));
    stream.on("end", () => attempt(() => resolve(inbox.message())));
    stream.on("aborted", () => reject(new CallFailure(status.cancelled, "the call was cancelled")));
  });
}

function failureOf(path: string, error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof MalformedMessage) {
    return new CallFailure(status.invalidArgument, `${path}: ${error.message}`);
  }
  // The log has what went wrong inside; a message here could reveal anything.
  return new CallFailure(status.internal, `${path} failed inside the provider; see its log`);
}

const responseHeaders = {
  [constants.HTTP2_HEADER_STATUS]: 200,
  ...grpcContent,
  "grpc-accept-encoding": "identity",
};

/** The server's side of one call: the messages that it answers, and how the call ends. */
class Response {
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
