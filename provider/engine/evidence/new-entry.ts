/** What every intent of an operation says. */
import { createHash, createHmac } from "node:crypto";
import { encodeBody, type Values } from "../../contract";
import { freeFields, serviceFields } from "../values/body";
import type { Operation, Served } from "../service/operation";
import type { IntentEntry, Purpose } from "../journal/entry";

/** The request of a create, and what its intents have in common. */
export function requestOf(
  op: Operation<Served>,
  inputs: Values,
): { readonly bytes: string; readonly purpose: Purpose } {
  const fields = encodeBody(op.resource, serviceFields(op.kind, inputs), freeFields(inputs));
  const bytes = JSON.stringify(fields);
  const bodyHash = hashOf(op, inputs, bytes);
  const { identity } = op.options;
  return { bytes, purpose: { operation: "create", kind: op.kind.name, identity, bodyHash } };
}

/**
 * Keyed, since a plain hash would let one guess a secret. Hosts that give no identity find intents
 * by it even after a change of the key: there it is plain where no secret properties are given.
 */
function hashOf({ run, options }: Operation, inputs: Values, bytes: string): string {
  const plain = options.identity === undefined && inputs["secret_properties"] === undefined;
  const hash = plain ? createHash("sha256") : createHmac("sha256", run.apiKey);
  return hash.update(bytes).digest("base64url");
}

/** An intent of this operation, with a new idempotency key unless it is given. */
export async function newEntry(
  op: Operation,
  fields: Pick<IntentEntry, "operation" | "bodyHash"> & Partial<IntentEntry>,
): Promise<IntentEntry> {
  const { identity, derived } = op.options;
  const serviceTime = await op.run.time.known(op.calls);
  return {
    version: 1,
    id: op.run.uuid(),
    account: op.core.account,
    kind: op.kind.name,
    ...(identity !== undefined && { identity }),
    ...(derived && { derived }),
    idempotencyKey: op.run.uuid(),
    time: op.run.clock.wallMs(),
    ...(serviceTime !== undefined && { serviceTime }),
    ...fields,
  };
}
