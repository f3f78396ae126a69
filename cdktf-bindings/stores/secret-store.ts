/** What hands a key's secret to the place where programs read it. */
import { createHash } from "node:crypto";
import { Fn, Token } from "cdktf";
import type { Construct } from "constructs";

/** The secret of a key, as its store gets it. It is another one after each rotation. */
export interface KeySecret {
  /** The secret itself; of a key with a recipient, the secret encrypted to it, in age format. */
  readonly text: string;
  /** A number that grows with each rotation: the UTC time of it, such as 20260131140559. */
  readonly version: number;
  /** When the key was created or last rotated, ISO 8601 in UTC. */
  readonly rotatedAt: string;
}

/**
 * Makes the resource that keeps a secret. `vaultKv` and its like are made from the generated classes of
 * other providers; for any other store, write a function of this form.
 */
export type SecretStore<R> = (scope: Construct, id: string, secret: KeySecret) => R;

/** A generated resource class, of which this library knows no more than some of its arguments. */
export type StoreClass<C, R> = new (scope: Construct, id: string, config: C) => R;

/** The name of the secret where a store keeps several: the one that the provider reads it by. */
export const VARIABLE = "ERPHOST_API_KEY";

/** What a generated resource that holds a key has of its secret. */
export interface Key {
  readonly value: string;
  readonly encryptedValue: string;
  readonly rotatedAt: string;
  readonly recipientInput?: string | undefined;
}

export const secretOf = ({ value, encryptedValue, rotatedAt, recipientInput }: Key): KeySecret => ({
  // Of null alone it is an error of the plan: nothing must not overwrite what the store has.
  text: Token.asString(Fn.coalesce([recipientInput === undefined ? value : encryptedValue])),
  version: timeAsNumber("YYYYMMDDhhmmss", rotatedAt),
  rotatedAt,
});

const HASHES = 10_000;

/**
 * A version of a secret under a name: another one after each rotation, and under another name, because
 * a write-only argument is written only when its version changes. Until 2090 it is below 2^53, so that
 * whatever reads it as a floating-point number still tells two of them apart.
 */
export function versionOf({ rotatedAt }: KeySecret, name: string): number {
  // The library numbers values that are known only later by their order in the program.
  const known = Token.isUnresolved(name) ? "" : name;
  const hash = createHash("sha256").update(known).digest().readUInt32BE() % HASHES;
  return timeAsNumber(`YYMMDDhhmmss${String(hash).padStart(4, "0")}`, rotatedAt);
}

const timeAsNumber = (format: string, time: string): number =>
  Token.asNumber(Fn.parseint(Fn.formatdate(format, time), 10));
