/** Finds the API key that a token belongs to. */
import type { Environment, KeyClassName, ResolvedResource } from "../../provider/contract";
import { ServiceError } from "../http/errors";
import { wire } from "../service/inventory";
import type { Database } from "../store/database";
import type { Objects } from "../store/objects";
import type { WireRecord } from "../store/records";
import { handleOf, hashOf, sameHash } from "./secret";

/** What a key may do, and from where. */
export interface KeyRights {
  readonly permissions: readonly string[];
  readonly allowList: readonly string[];
}

/** The API key that makes a request. */
export interface Caller extends KeyRights {
  readonly keyId: string;
  /** Null where a record made out of band has none. */
  readonly name: string | null;
  /** The bearer token; never stored or shown. */
  readonly token: string;
  /** Emulated milliseconds; undefined: never. */
  readonly expiresMs: number | undefined;
  readonly environment: Environment;
  readonly keyClass: KeyClassName;
}

/** What is stored of a key besides its record. */
export interface SecretRow {
  readonly handle: string;
  readonly key_id: string;
  readonly hash: Uint8Array;
  readonly environment: Environment;
  readonly key_class: KeyClassName;
  readonly rotated: number;
  readonly ended_at: string | null;
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

/** The rights in the record of a key. */
export const rightsOf = (resource: ResolvedResource, record: WireRecord): KeyRights => ({
  permissions: textsOf(record[wire(resource, "permissions")]),
  allowList: textsOf(record[wire(resource, "ip_whitelist")]),
});

/** When a key expires; undefined: never, as it says no time. */
export function expiresMsOf(resource: ResolvedResource, record: WireRecord): number | undefined {
  const ms = Date.parse(textOf(record[wire(resource, "expires_at")]) ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/** Finds the key of a token. Refuses unknown tokens and tokens of retired keys. */
export type Identify = (token: string) => Caller;

/** Reads the key again for each request: who changes it changes what its next one may do. */
export function createIdentify(
  resource: ResolvedResource,
  database: Database,
  objects: Objects,
): Identify {
  return (token) => {
    const sql = "SELECT * FROM secrets WHERE handle = ?";
    const secret = database.one<SecretRow>(sql, handleOf(token));
    if (!secret || !sameHash(secret.hash, hashOf(token))) {
      throw new ServiceError("invalid_token", "the API key is not valid");
    }
    if (secret.ended_at !== null) throw expired(secret.ended_at);
    const record = objects.get(resource.definition.name, secret.key_id);
    if (!record) throw new ServiceError("invalid_token", "the API key is not valid");
    return {
      keyId: secret.key_id,
      name: textOf(record[wire(resource, "name")]) ?? null,
      token,
      ...rightsOf(resource, record),
      expiresMs: expiresMsOf(resource, record),
      environment: secret.environment,
      keyClass: secret.key_class,
    };
  };
}

/** 401 for an expired key. */
export const expired = (expiredAt: string): ServiceError =>
  new ServiceError("token_expired", "the API key has expired", { expired_at: expiredAt });
