/** Messages as they travel on an HTTP/2 stream: five bytes of prefix, then the message. */
import { CallFailure, status } from "./call-failure";

/** The largest message, in either direction. */
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
const PREFIX_BYTES = 5;
const LIMIT = MESSAGE_BYTES_MAX + PREFIX_BYTES;

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

  /** What is too large is counted, and not kept. */
  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size <= LIMIT) this.chunks.push(chunk);
    else this.chunks.length = 0;
  }

  /** @throws CallFailure where what arrived is not exactly one message, or is too large */
  message(): Buffer {
    if (this.size > LIMIT) throw tooLarge();
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
