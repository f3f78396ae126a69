/** The frames that a connection of HTTP/2 (RFC 9113) is made of. */

/** What a client opens a connection with (section 3.4). */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
/** Section 6. */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
const PAYLOAD_BYTES: Readonly<Record<number, number>> = {
  [frameType.priority]: 5,
  [frameType.rstStream]: 4,
  [frameType.ping]: 8,
  [frameType.windowUpdate]: 4,
};
/** Frames of the connection itself, with the id 0; WINDOW_UPDATE may be of either. */
const OF_CONNECTION: readonly number[] = [frameType.settings, frameType.ping, frameType.goAway];
export const flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;
/** Why a stream or a connection ends (section 7). */
export const errorCode = {
  noError: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  compression: 9,
  enhanceYourCalm: 11,
} as const;

export const HEADER_BYTES = 9;
/** The largest payload that every peer accepts, and that we do. */
export const PAYLOAD_BYTES_MAX = 16_384;
export const INT31_MAX = 2 ** 31 - 1;

/** The peer broke the protocol, which ends the connection. */
export class ConnectionError extends Error {
  constructor(readonly code: number) {
    super(`HTTP/2 error ${code}`);
  }
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  /** Of its stream; 0 is the connection. */
  readonly id: number;
  /** Without padding. */
  readonly payload: Buffer;
  /** Bytes of the payload as it counts for windows, padding included. */
  readonly length: number;
  /** Where the next frame begins. */
  readonly end: number;
}

/** The frame at an offset; undefined where it has not arrived in full. @throws ConnectionError */
export function readFrame(bytes: Buffer, at: number): Frame | undefined {
  const start = at + HEADER_BYTES;
  if (bytes.length < start) return undefined;
  const length = bytes.readUIntBE(at, 3);
  if (length > PAYLOAD_BYTES_MAX) throw new ConnectionError(errorCode.frameSize);
  const end = start + length;
  if (bytes.length < end) return undefined;
  const type = bytes.readUInt8(at + 3);
  const flags = bytes.readUInt8(at + 4);
  const id = bytes.readUInt32BE(at + 5) & INT31_MAX;
  const hasValidId = (id === 0) === OF_CONNECTION.includes(type) || type >= frameType.windowUpdate;
  if (!hasValidId) throw new ConnectionError(errorCode.protocol);
  if (length !== (PAYLOAD_BYTES[type] ?? length)) throw new ConnectionError(errorCode.frameSize);
  const payload = bytes.subarray(start, end);
  const isPadded = (flags & flag.padded) !== 0 && type <= frameType.headers;
  return { type, flags, id, payload: isPadded ? unpadded(payload) : payload, length, end };
}

function unpadded(payload: Buffer): Buffer {
  const padding = payload[0] ?? Infinity;
  if (padding >= payload.length) throw new ConnectionError(errorCode.protocol);
  return payload.subarray(1, payload.length - padding);
}

/** What a frame begins with. */
export function frameHeader(type: number, flags: number, id: number, length: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUIntBE(length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(id, 5);
  return header;
}

/** Identifiers of settings (section 6.5.2). */
const MAX_CONCURRENT_STREAMS = 3;
const INITIAL_WINDOW_SIZE = 4;
const SETTING_BYTES = 6;

/** The payload of our SETTINGS. */
export const settingsOf = (streamsMax: number, window: number): Buffer =>
  Buffer.concat([
    ...[Buffer.of(0, MAX_CONCURRENT_STREAMS), uint32(streamsMax)],
    ...[Buffer.of(0, INITIAL_WINDOW_SIZE), uint32(window)],
  ]);

/** The window of a stream that a peer's SETTINGS set, all that we need of them. @throws ConnectionError */
export function initialWindowIn(payload: Buffer): number | undefined {
  if (payload.length % SETTING_BYTES !== 0) throw new ConnectionError(errorCode.frameSize);
  let window: number | undefined;
  for (let at = 0; at < payload.length; at += SETTING_BYTES) {
    if (payload.readUInt16BE(at) === INITIAL_WINDOW_SIZE) window = payload.readUInt32BE(at + 2);
    if ((window ?? 0) > INT31_MAX) throw new ConnectionError(errorCode.flowControl);
  }
  return window;
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}
