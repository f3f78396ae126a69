/** Reading and writing the encoded values of the protocol, and identities among them. */
import { decodeMsgpack, encodeMsgpack, isRawObject, type RawObject } from "../wire/msgpack";
import type { DynamicValue, IdentityData } from "../wire/messages.gen";
import type { ResourceModel } from "../schema/model";
import { memberOf } from "./values";
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

/** Version of every identity; one of a later version was written by a later release. */
export const IDENTITY_VERSION = 0;

/** The only member of an identity: a rotation, which is a declaration, has that of its key. */
export const identityMember = ({ kind }: ResourceModel): "id" | "key_id" =>
  kind.reading.rotates === "existing-key" ? "key_id" : "id";

/** The identity of the object in a state; undefined where it has none yet. */
export function identityIn(model: ResourceModel, raw: RawObject | null): IdentityData | undefined {
  const member = identityMember(model);
  const value = memberOf(raw, member);
  return typeof value === "string"
    ? { identity_data: writeObject({ [member]: value }) }
    : undefined;
}
