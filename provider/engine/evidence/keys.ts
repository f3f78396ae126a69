/**
 * What a request is known by: its idempotency key, and the hash of its body. Derived keys are the
 * same on every machine. The service replays its answer to one for a day, so a run on another machine
 * can ask what an interrupted run was answered.
 */
import { createHash, createHmac } from "node:crypto";
import { canonicalJson, encodeBody, type Values } from "../../contract";
import type { Purpose } from "../journal/entry";
import type { Operation, Served } from "../service/operation";
import { fixedOf, sentFields } from "../values/inputs";

/** Changes when keys are derived in another way: the keys of both ways never meet. */
const VERSION = 1;

/** The key that follows the one that led to `previous`; the first one without it. */
export type KeySource = (previous?: string) => string;

const keyFrom = (parts: readonly unknown[]): string =>
  `erphost-${createHash("sha256").update(canonicalJson(parts)).digest("base64url")}`;

/**
 * Keys of a create; undefined without a scope, or where nothing says which declaration it is for: what
 * the host calls it, otherwise its name, which is unique where a scope is set.
 */
export function keysOfCreate(op: Operation, inputs: Values): KeySource | undefined {
  const { account, kind, options } = op;
  const { scope } = op.run.options;
  if (scope === undefined || op.options.unscoped) return undefined;
  const { name } = inputs;
  const hasIdentity = options.identity !== undefined;
  if (!hasIdentity && typeof name !== "string") return undefined;
  const identity = hasIdentity ? ["identity", options.identity] : ["name", name];
  return (previous = "") =>
    keyFrom([
      ...["create", VERSION, scope, account.baseUrl, account.environment, kind.name],
      ...[identity, options.occasion ?? null, fixedOf(kind, inputs), previous],
    ]);
}

/** Keys of the rotation of a key, which happens once in its life: the account and its id are enough. */
export const keysOfRotation =
  ({ account }: Operation, keyId: string): KeySource =>
  (previous = "") =>
    keyFrom(["rotate", VERSION, account.baseUrl, account.environment, keyId, previous]);

/** The request of a create, and what its entries have in common. */
export interface CreateRequest {
  readonly bytes: string;
  readonly purpose: Purpose;
}

export function requestOf(op: Operation<Served>, inputs: Values): CreateRequest {
  const { identity } = op.options;
  const sent = sentFields(op.kind, inputs);
  const fields = encodeBody(op.resource, sent.fields, sent.properties);
  const bytes = JSON.stringify(fields);
  // Keyed, since a plain hash would let one guess a secret. Hosts that give no identity find entries
  // by it even after a change of the key: there it is plain where no secret properties are given.
  const plain = identity === undefined && inputs["secret_properties"] === undefined;
  const hash = plain ? createHash("sha256") : createHmac("sha256", op.run.apiKey);
  const bodyHash = hash.update(bytes).digest("base64url");
  return { bytes, purpose: { operation: "create", kind: op.kind.name, identity, bodyHash } };
}
