/** What an intent says of a create, a rotation or a delete. */
import * as z from "zod";
import type { EngineError } from "../errors";
import type { Identity } from "../types";

const entrySchema = z.strictObject({
  version: z.literal(1),
  id: z.uuid(),
  account: z.strictObject({ baseUrl: z.string(), environment: z.enum(["live", "test"]) }),
  operation: z.enum(["create", "rotate", "delete"]),
  kind: z.string().regex(/^[a-z_]{1,64}$/),
  identity: z.string().optional(),
  /** The engine chose the identity: no state holds the object, so no host is going to store it. */
  derived: z.literal(true).optional(),
  /** The key is derived, so that earlier requests may have had it, too. */
  scoped: z.literal(true).optional(),
  name: z.string().optional(),
  /** The key of a rotation, the object of a delete. */
  target: z.string().optional(),
  idempotencyKey: z.string(),
  /** Of the exact bytes. */
  bodyHash: z.string(),
  /**
   * The exact bytes of a create, sealed under the API key, since any field may hold a secret. Where
   * there is an answer without them, a person gave it: what that names is never deleted.
   */
  body: z.string().optional(),
  /** Milliseconds since 1970, by this machine's clock. */
  time: z.number(),
  /** The same moment by the service's clock, where it was known; it wins over `time`. */
  serviceTime: z.number().optional(),
  /** Id that the service answered. */
  answer: z.string().optional(),
  /** When its process exited cleanly before the host stored the object: milliseconds since 1970. */
  handedAt: z.number().optional(),
});

export type IntentEntry = z.output<typeof entrySchema>;

/**
 * What a file holds: an intent, and the signatures that show whose it is. One without any is
 * not followed, but must not count for nothing either, or what it led to would be created again.
 */
export const fileSchema = entrySchema.extend({
  signatures: z.array(z.string()).max(8).default([]),
});

export interface Intent {
  readonly entry: IntentEntry;
  readonly file: string;
  /** Planted, changed, or of another account: it is never followed. */
  readonly foreign?: true;
}

export interface Left {
  readonly intent: Intent;
  readonly alive: boolean;
}

/** A file under an entry's name that is not understood: it may be all that leads to an object. */
export interface Unread {
  readonly id: string;
  readonly file: string;
  readonly error: EngineError;
}

/**
 * What a create, rotation or delete is for: intents of the same purpose are about one object. The
 * hash is used where the host gives no identity.
 */
export type Purpose = Pick<IntentEntry, "operation" | "kind" | "bodyHash" | "target"> & {
  readonly identity: Identity;
};

export const hasPurpose = ({ entry }: Intent, purpose: Purpose): boolean =>
  entry.operation === purpose.operation &&
  entry.kind === purpose.kind &&
  entry.target === purpose.target &&
  (purpose.identity !== undefined || entry.identity !== undefined
    ? entry.identity === purpose.identity
    : entry.bodyHash === purpose.bodyHash);

/** Whether a host that stores late may still need it: a rotation's key identifies it on its own. */
export const isForState = ({ operation, identity, derived }: IntentEntry): boolean =>
  operation === "rotate" || (operation === "create" && identity !== undefined && !derived);

/** What a text of JSON says; undefined where that does not fit. */
export function parsedAs<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
