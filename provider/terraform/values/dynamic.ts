/** Reading and writing the encoded values of the protocol. */
import { decodeMsgpack, encodeMsgpack, isRawObject, type RawObject } from "../wire/msgpack";
import type { DynamicValue } from "../wire/messages.gen";
import { MalformedMessage } from "../../grpc";

/** An object value, or null where there is none. */
export function readObject(value: DynamicValue | undefined): RawObject | null {
  if (!value?.msgpack || value.msgpack.length === 0) {
    if (value?.json && value.json.length > 0) {
      throw new MalformedMessage("a value is in JSON, which is allowed in stored states only");
    }
    return null;
  }
  const raw = decodeMsgpack(value.msgpack);
  if (raw === null || isRawObject(raw)) return raw;
  throw new MalformedMessage("a value is not an object, which every schema requires");
}

export const writeObject = (raw: RawObject | null): DynamicValue => ({
  msgpack: encodeMsgpack(raw),
});
