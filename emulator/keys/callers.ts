/** Finds the API key that a token belongs to. */
import type { Environment, KeyClassName, ResolvedResource } from "../../provider/contract";
import { ServiceError } from "../http/errors";
import { wire } from "../service/inventory";
import type { Database } from "../store/database";
import type { Objects } from "../store/objects";
import { recordOf, type StoredObject, type WireRecord } from "../store/records";
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

/** When a key expires; undefined: never. */
export function expiresMsOf(resource: ResolvedResource, record: WireRecord): number | undefined {
  const text = textOf(record[wire(resource, "expires_at")]);
  return text === undefined ? undefined : Date.parse(text);
}

/** Finds the key of a token. Refuses unknown tokens and tokens of retired keys. */
export type Identify = (token: string) => Caller;

export function createIdentify(
  resource: ResolvedResource,
  database: Database,
  objects: Objects,
): Identify {
  const known = new Map<string, Known>();
  return (token) => {
    const sql = "SELECT * FROM secrets WHERE handle = ?";
    const secret = database.one<SecretRow>(sql, handleOf(token));
    const row = secret && objects.row(resource.definition.name, secret.key_id);
    const last = known.get(token);
    // The database remembers rows: as long as nobody writes them they are the same ones.
    if (last && last.secret === secret && last.row === row) return last.caller;
    if (!secret || !sameHash(secret.hash, hashOf(token))) {
      throw new ServiceError("invalid_token", "the API key is not valid");
    }
    if (secret.ended_at !== null) throw expired(secret.ended_at);
    if (!row) throw new ServiceError("invalid_token", "the API key is not valid");
    const record = recordOf(row.body);
    const caller = {
      keyId: secret.key_id,
      name: textOf(record[wire(resource, "name")]) ?? null,
      token,
      ...rightsOf(resource, record),
      expiresMs: expiresMsOf(resource, record),
      environment: secret.environment,
      keyClass: secret.key_class,
    };
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(token, { secret, row, caller });
    return caller;
  };
}

interface Known {
  readonly secret: SecretRow;
  readonly row: StoredObject;
  readonly caller: Caller;
}

/** Tokens that are kept, in memory alone. */
const KNOWN_MAX = 200;

/** 401 for an expired key. */
export const expired = (expiredAt: string): ServiceError =>
  new ServiceError("token_expired", "the API key has expired", { expired_at: expiredAt });
