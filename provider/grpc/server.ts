/**
 * gRPC over Node's own HTTP/2: what a plugin needs of it, which is calls with one message each way
 * and streams that stay open. No library is loaded for it, so a provider starts quickly.
 */
import {
  constants,
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { MalformedMessage } from "./protobuf";

/** Status codes of gRPC. */
export const status = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
} as const;

/** A call that fails as a call; anything a person can mend is a diagnostic instead. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  constructor(
    readonly status: number,
    message: string,
    /** What the peer can read beside the message: an encoded `google.rpc.Status`. */
    readonly details?: Buffer,
  ) {
    super(message);
  }
}

/** Takes a message's bytes and answers a message's bytes. */
export type Unary = (request: Buffer) => Promise<Buffer>;

export interface GrpcOptions {
  /** By path: `/package.Service/Method`. */
  readonly methods: ReadonlyMap<string, Unary>;
  /** Paths of streams that are held open until the end. */
  readonly held: ReadonlySet<string>;
  /** Told of failures that are the provider's own. */
  readonly onFault: (path: string, error: unknown) => void;
  /** With it every client must show that it is the one. */
  readonly tls?: {
    readonly key: string;
    readonly certificate: string;
    readonly clientCertificate: string;
  };
}

/** A message is not larger, either way. */
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
const WINDOW_BYTES = 1024 * 1024;
const STREAMS_MAX = 4096;
const PREFIX_BYTES = 5;

/**
 * The one peer is the engine that started us. Node's guards against strangers would refuse its calls
 * while large answers wait, cut off errors that carry a resource, and end a run that cancels many.
 */
const trusting = {
  settings: { initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: STREAMS_MAX },
  maxSessionMemory: Number.MAX_SAFE_INTEGER,
  maxSendHeaderBlockLength: Number.MAX_SAFE_INTEGER,
  streamResetBurst: 1_000_000,
  streamResetRate: 1_000_000,
};

/** A server that is not listening yet. */
export function createGrpcServer(options: GrpcOptions): Http2Server {
  const server = options.tls
    ? createSecureServer({
        ...trusting,
        key: options.tls.key,
        cert: options.tls.certificate,
        ca: options.tls.clientCertificate,
        requestCert: true,
        rejectUnauthorized: true,
        minVersion: "TLSv1.2",
        ALPNProtocols: ["h2"],
      })
    : createServer(trusting);
  server.on("session", (session) => {
    session.setLocalWindowSize(WINDOW_BYTES * 4);
    session.on("error", () => undefined); // The peer went away; `close` follows.
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
  if (options.held.has(path)) {
    stream.respond(responseHeaders);
    stream.resume();
    return;
  }
  const method = options.methods.get(path);
  if (!method) {
    fail(stream, new CallFailure(status.unimplemented, `there is no method ${path}`));
    return;
  }
  receive(stream)
    .then(method)
    .then((answer) => respond(stream, answer))
    .catch((error: unknown) => {
      if (!(error instanceof CallFailure) && !(error instanceof MalformedMessage)) {
        options.onFault(path, error);
      }
      fail(stream, failureOf(path, error));
    })
    // Not even an answer could be written: the call ends, and no other.
    .catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
}

const isGrpc = (headers: IncomingHttpHeaders): boolean =>
  headers["content-type"]?.startsWith("application/grpc") === true;

const responseHeaders = {
  [constants.HTTP2_HEADER_STATUS]: 200,
  [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
  "grpc-accept-encoding": "identity",
};

/** The one message of a call, without its prefix. */
function receive(stream: ServerHttp2Stream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MESSAGE_BYTES_MAX + PREFIX_BYTES) {
        stream.removeAllListeners("data").resume();
        reject(new CallFailure(status.resourceExhausted, "the message is larger than 64 MiB"));
      }
    });
    stream.on("end", () => {
      try {
        resolve(unframe(Buffer.concat(chunks, size)));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    stream.on("aborted", () => reject(new CallFailure(status.cancelled, "the call was given up")));
  });
}

function unframe(bytes: Buffer): Buffer {
  if (bytes.length < PREFIX_BYTES) {
    throw new CallFailure(status.invalidArgument, "the call ended before its message");
  }
  if (bytes[0] !== 0) {
    throw new CallFailure(status.unimplemented, "compressed messages are not read");
  }
  const length = bytes.readUInt32BE(1);
  if (bytes.length !== PREFIX_BYTES + length) {
    throw new CallFailure(
      status.invalidArgument,
      `the message is ${bytes.length - PREFIX_BYTES} bytes long and says ${length}`,
    );
  }
  return bytes.subarray(PREFIX_BYTES);
}

function respond(stream: ServerHttp2Stream, answer: Buffer): void {
  if (stream.destroyed) return;
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(answer.length, 1);
  stream.respond(responseHeaders, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(status.ok) }));
  stream.end(Buffer.concat([prefix, answer]));
}

function failureOf(path: string, error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof MalformedMessage) {
    return new CallFailure(status.invalidArgument, `${path}: ${error.message}`);
  }
  // What went wrong inside is in the log; a message here could hold anything.
  return new CallFailure(status.internal, `${path} failed inside the provider; see its log`);
}

function fail(stream: ServerHttp2Stream, failure: CallFailure): void {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond(
    {
      ...responseHeaders,
      "grpc-status": String(failure.status),
      "grpc-message": headerText(failure.message),
      ...(failure.details && { "grpc-status-details-bin": failure.details.toString("base64") }),
    },
    { endStream: true },
  );
}

/** A longer text is cut: headers of any length are not read everywhere. */
const TEXT_LENGTH_MAX = 8_000;

/** As the protocol has it: printable ASCII stays as it is; half of a character can't be encoded. */
const headerText = (text: string): string =>
  text
    .slice(0, TEXT_LENGTH_MAX)
    .toWellFormed()
    .replace(/[^ -$&-~]+/g, encodeURIComponent);
