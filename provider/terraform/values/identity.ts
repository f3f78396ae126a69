/** What an engine knows an object by for good, apart from its state: its id, and never a secret. */
import type { ResourceModel } from "../schema/model";
import type { IdentityData } from "../wire/messages.gen";
import { writeObject } from "./dynamic";
import { memberOf } from "./values";
import type { RawObject } from "../wire/msgpack";

/** Version of every identity; one of a later version was written by a later release. */
export const IDENTITY_VERSION = 0;

/** The only member of an identity: a rotation, which is a declaration, has that of its key. */
export const identityMember = ({ kind }: ResourceModel): "id" | "key_id" =>
  kind.reading.rotates === "existing-key" ? "key_id" : "id";

/** The identity of the object in a state; undefined where it has none yet. */
export function identityIn(
  model: ResourceModel,
  state: RawObject | null,
): IdentityData | undefined {
  const member = identityMember(model);
  const value = memberOf(state, member);
  return typeof value === "string"
    ? { identity_data: writeObject({ [member]: value }) }
    : undefined;
}
