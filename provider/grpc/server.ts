/** gRPC on sockets, so that a provider starts and answers quickly: no library is loaded. */
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { CallFailure, failureHeaders, status } from "./call-failure";
import { frame, Inbox } from "./framing";
import { headerBlock, type Headers } from "./hpack";
import { Http2Connection, type Http2Stream, type StreamReceiver } from "./http2";
import { decodeMessage, encodeMessage, type Message } from "./protobuf";
import { MalformedMessage } from "./wire-format";

/** Takes a message's bytes and answers a message's bytes. */
export type Unary = (request: Buffer) => Promise<Buffer>;

interface Typed<Request, Answer> {
  readonly request: Message<Request>;
  readonly answer: Message<Answer>;
}

/** A method together with its messages. */
export type TypedUnary<Request, Answer> = Unary & Typed<Request, Answer>;

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
export type TypedStream<Request, Answer> = ServerStream & Typed<Request, Answer>;

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
  /** Receives each connection once calls may come in on it. */
  readonly onConnection?: (socket: Socket) => void;
  /** Requires every client to present the one certificate. */
  readonly tls?: {
    readonly key: string;
    readonly certificate: string;
    readonly clientCertificate: string;
  };
}

/** A server that is not listening yet. */
export function createGrpcServer(options: GrpcOptions): Server {
  const { tls } = options;
  if (!tls) return createServer((socket) => serveGrpc(socket, options));
  const settings = {
    key: tls.key,
    cert: tls.certificate,
    ca: tls.clientCertificate,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["h2"],
  } as const;
  return createTlsServer(settings, (socket) => serveGrpc(socket, options));
}

/** Answers the calls that come in on a socket. */
export function serveGrpc(socket: Socket, options: GrpcOptions): void {
  new Http2Connection(socket, (stream, headers) => serve(options, stream, headers));
  options.onConnection?.(socket);
}

const responseHeaders = {
  ":status": "200",
  "content-type": "application/grpc",
  "grpc-accept-encoding": "identity",
};
const RESPONSE = headerBlock(responseHeaders);
const SUCCESS = headerBlock({ "grpc-status": String(status.ok) });
const NOT_GRPC = headerBlock({ ":status": "415" });
/** For a stream whose parts nobody needs. */
const ignoring: StreamReceiver = { data: () => {}, end: () => {}, cancel: () => {} };

function serve(options: GrpcOptions, stream: Http2Stream, headers: Headers): StreamReceiver {
  const path = headers.get(":path") ?? "";
  const isGrpc = headers.get("content-type")?.startsWith("application/grpc");
  if (headers.get(":method") !== "POST" || !isGrpc) {
    stream.end(NOT_GRPC);
    return ignoring;
  }
  if (options.held.has(path)) {
    stream.respond(RESPONSE);
    return ignoring;
  }
  const inbox = new Inbox();
  const cancellation = new AbortController();
  let end = (): void => undefined;
  const whole = new Promise<void>((resolve) => (end = resolve));
  const answer = async (): Promise<void> => {
    const method = options.methods.get(path);
    const source = options.streams?.get(path);
    if (method) {
      await whole;
      const framed = frame(await method(inbox.message()));
      stream.respond(RESPONSE);
      void stream.write(framed);
    } else if (source) {
      await whole;
      await sendAll(source(inbox.message(), cancellation.signal), stream);
    } else {
      throw new CallFailure(status.unimplemented, `there is no method ${path}`);
    }
    stream.end(SUCCESS);
  };
  answer()
    .catch((error: unknown): void => {
      const reported = failureHeaders(failureOf(path, error, options));
      stream.end(headerBlock(stream.hasResponded ? reported : { ...responseHeaders, ...reported }));
    })
    // Not even the failure could be written: this call ends, and no other.
    .catch(() => stream.reset());
  return { data: (chunk) => inbox.add(chunk), end, cancel: () => cancellation.abort() };
}

/**
 * Sends messages no faster than the peer makes room for them: the next is asked for when the last
 * has gone. Leaving the loop early, because the call was cancelled, ends the source as well.
 */
async function sendAll(messages: AsyncIterable<Buffer>, stream: Http2Stream): Promise<void> {
  stream.respond(RESPONSE);
  for await (const message of messages) {
    if (stream.isClosed) return;
    await stream.write(frame(message));
  }
}

function failureOf(path: string, error: unknown, { onFault }: GrpcOptions): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof MalformedMessage) {
    return new CallFailure(status.invalidArgument, `${path}: ${error.message}`);
  }
  onFault(path, error);
  // The log has what went wrong inside; a message here could reveal anything.
  return new CallFailure(status.internal, `${path} failed inside the provider; see its log`);
}
