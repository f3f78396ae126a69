/**
 * A server's HTTP/2 (RFC 9113) on a socket, as far as gRPC needs it. Node's own takes longer for a
 * call than the plugin does to answer it. The only peer is the engine that started us: it has to
 * follow the protocol, and may reset, ping and send as much as it likes.
 */
import type { Socket } from "node:net";
import {
  ConnectionError,
  errorCode,
  flag,
  frameHeader,
  frameType,
  HEADER_BYTES,
  initialWindowIn,
  INT31_MAX,
  PAYLOAD_BYTES_MAX,
  PREFACE,
  readFrame,
  settingsOf,
  uint32,
  type Frame,
} from "./frames";
import { HeaderReader, type Headers } from "./hpack";
import { MalformedMessage } from "./wire-format";

/** Every window at the start (section 6.9.2). */
const INITIAL_WINDOW = 65_535;
/** The windows that we give. */
const STREAM_WINDOW = 1024 * 1024;
const CONNECTION_WINDOW = 4 * STREAM_WINDOW;
const STREAMS_MAX = 4096;
const HEADER_BLOCK_BYTES_MAX = 1024 * 1024;
const NO_BYTES = Buffer.alloc(0);

/** Receives the parts of a stream. */
export interface StreamReceiver {
  data(chunk: Buffer): void;
  /** The peer has sent all that it will. */
  end(): void;
  /** Either side reset the stream, or the connection has gone. */
  cancel(): void;
}

/** Our side of a stream. What is sent once it is closed goes nowhere. */
export class Http2Stream {
  isClosed = false;
  hasResponded = false;
  /** The peer has sent all that it will. */
  isHalfClosed = false;
  receiver: StreamReceiver | undefined;
  /** Bytes that we have not given back to the peer's window. */
  received = 0;
  /** What waits for the peer's window: bytes, and the trailers after them. */
  unsent: Buffer = NO_BYTES;
  trailers: Buffer | undefined;
  onSent: (() => void) | undefined;

  /** @param window how many bytes the peer has room for */
  constructor(
    private readonly connection: Http2Connection,
    readonly id: number,
    public window: number,
  ) {}

  /** @param headers a block of `headerBlock`, as the trailers of `end` are */
  respond(headers: Buffer): void {
    if (this.isClosed) return;
    this.hasResponded = true;
    this.connection.sendHeaders(this.id, headers, 0);
  }

  /** One at a time. Fulfilled when the peer had room for all of it, or the stream is closed. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.unsent = bytes;
      this.onSent = resolve;
      this.connection.flush(this);
    });
  }

  /** Ends the stream, once the peer had room for what was written. */
  end(trailers: Buffer): void {
    this.trailers = trailers;
    this.connection.flush(this);
  }

  reset(): void {
    if (!this.isClosed) this.connection.reset(this, errorCode.internal);
  }
}

/** All streams of a socket, until that closes. */
export class Http2Connection {
  private readonly headers = new HeaderReader();
  private readonly streams = new Map<number, Http2Stream>();
  /** Of the newest stream. */
  private lastId = 0;
  private window = INITIAL_WINDOW;
  private streamWindow = INITIAL_WINDOW;
  private received = 0;
  private unread: Buffer = NO_BYTES;
  private hasPreface = false;
  private hasSettings = false;
  /** A header block that is not complete. */
  private block: { readonly first: Frame; readonly parts: Buffer[]; size: number } | undefined;
  private outbox: Buffer[] = [];

  /** @param accept takes a stream that the peer opens */
  constructor(
    private readonly socket: Socket,
    private readonly accept: (stream: Http2Stream, headers: Headers) => StreamReceiver,
  ) {
    socket.setNoDelay(true);
    socket.on("error", () => undefined); // The peer went away; `close` follows.
    socket.on("close", () => this.streams.forEach((stream) => this.cancel(stream)));
    socket.on("data", (chunk: Buffer) => this.take(chunk));
    this.send(frameType.settings, 0, 0, settingsOf(STREAMS_MAX, STREAM_WINDOW));
    this.send(frameType.windowUpdate, 0, 0, uint32(CONNECTION_WINDOW - INITIAL_WINDOW));
  }

  private take(chunk: Buffer): void {
    const bytes = this.unread.length === 0 ? chunk : Buffer.concat([this.unread, chunk]);
    try {
      let at = this.hasPreface ? 0 : this.readPreface(bytes);
      while (this.hasPreface) {
        const frame = readFrame(bytes, at);
        if (!frame) break;
        this.read(frame);
        at = frame.end;
      }
      this.unread = bytes.subarray(at);
    } catch (error) {
      if (error instanceof ConnectionError) this.goAway(error.code);
      else if (error instanceof MalformedMessage) this.goAway(errorCode.compression);
      else throw error;
    }
  }

  private readPreface(bytes: Buffer): number {
    const start = bytes.subarray(0, PREFACE.length);
    if (!PREFACE.subarray(0, start.length).equals(start))
      throw new ConnectionError(errorCode.protocol);
    this.hasPreface = start.length === PREFACE.length;
    return this.hasPreface ? PREFACE.length : 0;
  }

  private read(frame: Frame): void {
    const { type, flags, id, payload } = frame;
    const isExpected = this.block
      ? type === frameType.continuation && id === this.block.first.id
      : type !== frameType.continuation && (this.hasSettings || type === frameType.settings);
    if (!isExpected || type === frameType.pushPromise)
      throw new ConnectionError(errorCode.protocol);
    if (type === frameType.data) this.readData(frame);
    else if (type === frameType.headers || type === frameType.continuation) this.readHeaders(frame);
    else if (type === frameType.settings) this.readSettings(flags, payload);
    else if (type === frameType.windowUpdate) this.readWindowUpdate(id, payload);
    else if (type === frameType.rstStream) this.cancel(this.streamOf(id));
    else if (type === frameType.ping && !(flags & flag.ack)) {
      this.send(frameType.ping, flag.ack, 0, payload);
    }
    // Priorities, a peer's goodbye, and what later versions may add, change nothing for us.
  }

  /** The stream that a frame belongs to; nothing where it is closed. */
  private streamOf(id: number): Http2Stream | undefined {
    if (id > this.lastId) throw new ConnectionError(errorCode.protocol);
    return this.streams.get(id);
  }

  private readData({ flags, id, payload, length }: Frame): void {
    const stream = this.streamOf(id);
    this.received = this.replenish(0, this.received + length, CONNECTION_WINDOW);
    if (!stream) return;
    if (stream.isHalfClosed) return this.reset(stream, errorCode.streamClosed);
    stream.received = this.replenish(id, stream.received + length, STREAM_WINDOW);
    stream.receiver?.data(payload);
    if (flags & flag.endStream) this.halfClose(stream);
  }

  /** What arrives is taken at once, so that a window is given back as soon as half of it is used. */
  private replenish(id: number, received: number, window: number): number {
    if (received < window / 2) return received;
    this.send(frameType.windowUpdate, 0, id, uint32(received));
    return 0;
  }

  private halfClose(stream: Http2Stream): void {
    if (stream.isClosed) return;
    stream.isHalfClosed = true;
    stream.receiver?.end();
  }

  private readHeaders(frame: Frame): void {
    const { block = { first: frame, parts: [], size: 0 } } = this;
    const hasPriority = frame.type === frameType.headers && frame.flags & flag.priority;
    block.parts.push(frame.payload.subarray(hasPriority ? 5 : 0));
    block.size += HEADER_BYTES + frame.length;
    if (block.size > HEADER_BLOCK_BYTES_MAX) throw new ConnectionError(errorCode.enhanceYourCalm);
    const isWhole = (frame.flags & flag.endHeaders) !== 0;
    this.block = isWhole ? undefined : block;
    if (!isWhole) return;
    const { id, flags } = block.first;
    const headers = this.headers.read(Buffer.concat(block.parts));
    // Those of a stream that is open are trailers, which say nothing.
    const stream = id > this.lastId ? this.open(id, headers) : this.streams.get(id);
    if (stream?.isHalfClosed) this.reset(stream, errorCode.streamClosed);
    else if (stream && flags & flag.endStream) this.halfClose(stream);
  }

  private open(id: number, headers: Headers): Http2Stream {
    if (id % 2 === 0) throw new ConnectionError(errorCode.protocol);
    const stream = new Http2Stream(this, id, this.streamWindow);
    this.lastId = id;
    this.streams.set(id, stream);
    if (this.streams.size > STREAMS_MAX) this.reset(stream, errorCode.refusedStream);
    else stream.receiver = this.accept(stream, headers);
    return stream;
  }

  private readSettings(flags: number, payload: Buffer): void {
    const window = initialWindowIn(payload) ?? this.streamWindow;
    if (flags & flag.ack) return;
    this.hasSettings = true;
    this.streams.forEach((stream) => (stream.window += window - this.streamWindow));
    this.streamWindow = window;
    this.send(frameType.settings, flag.ack, 0, NO_BYTES);
    this.streams.forEach((stream) => this.flush(stream));
  }

  private readWindowUpdate(id: number, payload: Buffer): void {
    const more = payload.readUInt32BE(0) & INT31_MAX;
    const stream = id === 0 ? undefined : this.streamOf(id);
    const window = more + (id === 0 ? this.window : (stream?.window ?? 0));
    if (more === 0 || window > INT31_MAX) {
      const why = more === 0 ? errorCode.protocol : errorCode.flowControl;
      if (id === 0) throw new ConnectionError(why);
      if (stream) this.reset(stream, why);
    } else if (id === 0) {
      this.window = window;
      this.streams.forEach((one) => this.flush(one));
    } else if (stream) {
      stream.window = window;
      this.flush(stream);
    }
  }

  /** Sends what waits, as far as the peer has room for it. */
  flush(stream: Http2Stream): void {
    while (stream.unsent.length > 0 && !stream.isClosed) {
      const room = Math.min(this.window, stream.window, PAYLOAD_BYTES_MAX);
      if (room <= 0) return;
      const part = stream.unsent.subarray(0, room);
      stream.unsent = stream.unsent.subarray(part.length);
      stream.window -= part.length;
      this.window -= part.length;
      this.send(frameType.data, 0, stream.id, part);
    }
    stream.onSent?.();
    if (!stream.trailers || stream.isClosed) return;
    this.sendHeaders(stream.id, stream.trailers, flag.endStream);
    // A peer that still sends is asked to stop.
    if (stream.isHalfClosed) this.close(stream);
    else this.reset(stream, errorCode.noError);
  }

  sendHeaders(id: number, block: Buffer, flags: number): void {
    for (let at = 0; at === 0 || at < block.length; at += PAYLOAD_BYTES_MAX) {
      const part = block.subarray(at, at + PAYLOAD_BYTES_MAX);
      const last = at + part.length === block.length ? flag.endHeaders : 0;
      if (at === 0) this.send(frameType.headers, flags | last, id, part);
      else this.send(frameType.continuation, last, id, part);
    }
  }

  reset(stream: Http2Stream, why: number): void {
    this.send(frameType.rstStream, 0, stream.id, uint32(why));
    this.cancel(stream);
  }

  private cancel(stream: Http2Stream | undefined): void {
    if (!stream) return;
    this.close(stream);
    stream.receiver?.cancel();
  }

  private close(stream: Http2Stream): void {
    stream.isClosed = true;
    this.streams.delete(stream.id);
    stream.onSent?.();
  }

  private goAway(why: number): void {
    this.socket.removeAllListeners("data").resume();
    this.send(frameType.goAway, 0, 0, Buffer.concat([uint32(this.lastId), uint32(why)]));
    queueMicrotask(() => this.socket.destroySoon());
  }

  /** What is sent in one turn goes out together. */
  private send(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.outbox.push(frameHeader(type, flags, id, payload.length), payload) > 2) return;
    queueMicrotask(() => {
      const bytes = Buffer.concat(this.outbox);
      this.outbox = [];
      if (this.socket.writable) this.socket.write(bytes);
    });
  }
}
