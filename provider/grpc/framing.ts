/** Messages as they travel on an HTTP/2 stream: five bytes of prefix, then the message. */
import { constants } from "node:http2";
import { CallFailure, status } from "./call-failure";

/** The largest message, in either direction. */
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
export const WINDOW_BYTES = 1024 * 1024;
const PREFIX_BYTES = 5;

/**
 * The only peer is the engine that started us. Node's guards against strangers would refuse its
 * calls while large answers wait, cut off errors that carry a resource, and end a run that cancels
 * many calls.
 */
export const trustedPeer = {
  settings: { initialWindowSize: WINDOW_BYTES },
  maxSessionMemory: Number.MAX_SAFE_INTEGER,
  maxSendHeaderBlockLength: Number.MAX_SAFE_INTEGER,
  streamResetBurst: 1_000_000,
  streamResetRate: 1_000_000,
};

export const grpcContent = { [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc" };

/** @throws CallFailure where the message is too large to send */
export function frame(message: Buffer): Buffer {
  if (message.length > MESSAGE_BYTES_MAX) throw tooLarge();
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

const tooLarge = (): CallFailure =>
  new CallFailure(status.resourceExhausted, "the message is larger than 64 MiB");

/** Collects the one message of a call. */
export class Inbox {
  private readonly chunks: Buffer[] = [];
  private size = 0;

  /** @throws CallFailure where the message gets too large */
  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > MESSAGE_BYTES_MAX + PREFIX_BYTES) throw tooLarge();
    this.chunks.push(chunk);
  }

  /** @throws CallFailure where what arrived is not exactly one message */
  message(): Buffer {
    const bytes = Buffer.concat(this.chunks, this.size);
    if (bytes.length < PREFIX_BYTES) {
      throw new CallFailure(status.invalidArgument, "the call ended before its message");
    }
    if (bytes[0] !== 0) {
      throw new CallFailure(status.unimplemented, "compressed messages are not supported");
    }
    const length = bytes.readUInt32BE(1);
    if (bytes.length !== PREFIX_BYTES + length) {
      throw new CallFailure(
        status.invalidArgument,
        `the message has ${bytes.length - PREFIX_BYTES} bytes but declares ${length}`,
      );
    }
    return bytes.subarray(PREFIX_BYTES);
  }
}
