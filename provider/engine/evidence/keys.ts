/**
 * Idempotency keys that every machine derives alike. The service replays its answer to one for a day,
 * so a run on another machine can ask what an interrupted run was answered.
 */
import { createHash } from "node:crypto";
import { canonicalJson, type Values } from "../../contract";
import type { Operation } from "../service/operation";
import { fixedOf } from "../values/fixed";

/** Changes when keys are derived in another way: the keys of both ways never meet. */
const VERSION = 1;

/** The key that follows the one that led to `previous`; the first one without it. */
export type KeyOf = (previous?: string) => string;

const keyFrom = (parts: readonly unknown[]): string =>
  `erphost-${createHash("sha256").update(canonicalJson(parts)).digest("base64url")}`;

/** Keys of a create; undefined without a scope, or where nothing says which declaration it is for. */
export function keysOfCreate(op: Operation, inputs: Values): KeyOf | undefined {
  const { scope } = op.run.options;
  if (scope === undefined || op.options.unscoped) return undefined;
  const identity = identityOf(op, inputs);
  if (identity === undefined) return undefined;
  const { account, kind, options } = op;
  return (previous = "") =>
    keyFrom([
      ...["create", VERSION, scope, account.baseUrl, account.environment, kind.name],
      ...[identity, options.generation ?? null, fixedOf(kind, inputs), previous],
    ]);
}

/** Keys of the rotation of a key, which happens once in its life: the account and its id are enough. */
export const keysOfRotation =
  ({ account }: Operation, keyId: string): KeyOf =>
  (previous = "") =>
    keyFrom(["rotate", VERSION, account.baseUrl, account.environment, keyId, previous]);

/** What the host calls it; otherwise its name, which is unique where a scope is set. */
function identityOf({ options }: Operation, inputs: Values): readonly string[] | undefined {
  if (options.identity !== undefined) return ["identity", options.identity];
  const name = inputs["name"];
  return typeof name === "string" ? ["name", name] : undefined;
}
