/** API keys as the service knows them: secrets, who is calling, and the end of a key's life. */
import {
  periodMs,
  type Environment,
  type KeyClassName,
  type ResolvedResource,
} from "../../provider/contract";
import { ServiceError } from "../http/errors";
import type { RandomBytes } from "../random";
import { wire, type Inventory } from "../service/inventory";
import type { Database } from "../store/database";
import type { Objects, WireRecord } from "../store/objects";
import type { Timer, Timers } from "../store/timers";
import { isoOf } from "../time/clock";
import { handleOf, hashOf, makeValue, sameHash } from "./secret";

/** Who makes a request. */
export interface Caller {
  readonly keyId: string;
  /** The bearer token; never stored or shown. */
  readonly token: string;
  readonly permissions: readonly string[];
  readonly allowList: readonly string[];
  /** Emulated milliseconds; undefined: never. */
  readonly expiresMs: number | undefined;
  readonly environment: Environment;
  readonly keyClass: KeyClassName;
}

/** What a secret is made for. */
export interface KeyKind {
  readonly environment: Environment;
  readonly keyClass: KeyClassName;
  /** A value fixed from outside; undefined: a random one. */
  readonly value?: string | undefined;
}

export interface NewKey {
  readonly record: WireRecord;
  readonly value: string;
}

export interface Keys {
  /** Makes a key; its value is answered here and never again. */
  create(fields: WireRecord, kind: KeyKind, atMs: number): NewKey;
  /** Whose token it is. Refuses unknown tokens and those of keys that ended. */
  identify(token: string): Caller;
  /** After a key was changed: when it is to be rotated or retired. */
  planned(id: string, atMs: number): void;
  /** After a key was deleted. */
  forget(id: string): void;
  /** Ends the old key after its grace and makes one like it. */
  rotate(id: string, atMs: number): { oldId: string; oldExpiresAt: string; made: NewKey };
  onDue(timer: Timer): void;
  /** Puts another secret on a key. */
  renew(id: string, kind: KeyKind): string;
}

interface SecretRow {
  readonly handle: string;
  readonly key_id: string;
  readonly hash: Uint8Array;
  readonly environment: Environment;
  readonly key_class: KeyClassName;
  readonly rotated: number;
  readonly ended_at: string | null;
}

/** Assumption: how long an old key works where the key says nothing of it. */
const GRACE_MS_DEFAULT = 86_400_000;

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

interface Parts {
  readonly resource: ResolvedResource;
  readonly database: Database;
  readonly objects: Objects;
  readonly timers: Timers;
  readonly inventory: Inventory;
  readonly randomBytes: RandomBytes;
}

export function createKeys(parts: Parts): Keys {
  const { resource, database, objects, timers, inventory, randomBytes } = parts;
  const kind = resource.definition.name;
  const name = (field: string) => wire(resource, field);
  const secretOf = (id: string) =>
    database.one<SecretRow>("SELECT * FROM secrets WHERE key_id = ?", id);
  const expiresMs = (record: WireRecord) => {
    const text = textOf(record[name("expires_at")]);
    return text === undefined ? undefined : Date.parse(text);
  };

  const issue = (id: string, { environment, keyClass, value: fixed }: KeyKind): string => {
    const value = fixed ?? makeValue(handleFor(id, randomBytes), environment, randomBytes);
    database.run(
      "INSERT INTO secrets (handle, key_id, hash, environment, key_class) VALUES (?, ?, ?, ?, ?)",
      handleOf(value),
      id,
      hashOf(value),
      environment,
      keyClass,
    );
    return value;
  };

  const planned = (id: string, atMs: number) => {
    timers.drop(kind, id);
    const record = objects.get(kind, id);
    const secret = secretOf(id);
    if (!record || !secret) return;
    if (secret.rotated) {
      const due_ms = expiresMs(record) ?? atMs;
      timers.add({ due_ms, kind, id, action: "retire", detail: "" });
      return;
    }
    const period = textOf(record[name("rotation_period")]);
    if (record[name("rotation_enabled")] !== true || period === undefined) return;
    const createdMs = Date.parse(String(record[name("created_at")]));
    const due_ms = Math.max(createdMs + periodMs(period), atMs);
    timers.add({ due_ms, kind, id, action: "rotate", detail: "" });
  };

  const create: Keys["create"] = (fields, keyKind, atMs) => {
    const made = inventory.create(resource, fields, { atMs });
    const id = String(made["id"]);
    const record = { ...made, [name("lineage_id")]: made[name("lineage_id")] ?? id };
    objects.replace(kind, id, record);
    const value = issue(id, keyKind);
    planned(id, atMs);
    return { record, value };
  };

  const rotate: Keys["rotate"] = (id, atMs) => {
    const record = objects.get(kind, id);
    const secret = secretOf(id);
    if (!secret) throw new ServiceError("not_found", `API key ${id} does not exist`);
    const endMs = record && expiresMs(record);
    if (!record || secret.rotated || (endMs !== undefined && endMs <= atMs)) {
      const why = secret.rotated ? "was rotated already" : "has expired";
      throw new ServiceError(
        "conflict",
        `API key ${id} ${why}; rotate the current key of its line`,
      );
    }
    const grace = textOf(record[name("grace_period")]);
    const graceEndMs = atMs + (grace === undefined ? GRACE_MS_DEFAULT : periodMs(grace));
    // A rotation never makes an old key live longer than it would have.
    const oldExpiresAt = isoOf(Math.min(graceEndMs, endMs ?? graceEndMs));
    database.run("UPDATE secrets SET rotated = 1 WHERE key_id = ?", id);
    inventory.change(resource, id, { ...record, [name("expires_at")]: oldExpiresAt }, atMs);
    planned(id, atMs);
    const { id: _, [name("created_at")]: __, ...inherited } = record;
    const { environment, key_class: keyClass } = secret;
    return { oldId: id, oldExpiresAt, made: create(inherited, { environment, keyClass }, atMs) };
  };

  return {
    create,
    planned,
    rotate,
    identify: (token) => {
      const secret = database.one<SecretRow>(
        "SELECT * FROM secrets WHERE handle = ?",
        handleOf(token),
      );
      if (!secret || !sameHash(secret.hash, hashOf(token))) {
        throw new ServiceError("invalid_token", "the API key is not valid");
      }
      if (secret.ended_at !== null) throw expired(secret.ended_at);
      const record = objects.get(kind, secret.key_id);
      if (!record) throw new ServiceError("invalid_token", "the API key is not valid");
      return {
        keyId: secret.key_id,
        token,
        permissions: textsOf(record[name("permissions")]),
        allowList: textsOf(record[name("ip_whitelist")]),
        expiresMs: expiresMs(record),
        environment: secret.environment,
        keyClass: secret.key_class,
      };
    },
    forget: (id) => {
      timers.drop(kind, id);
      database.run("DELETE FROM secrets WHERE key_id = ?", id);
    },
    renew: (id, keyKind) => {
      database.run("DELETE FROM secrets WHERE key_id = ?", id);
      return issue(id, keyKind);
    },
    onDue: ({ action, id, due_ms }) => {
      if (action === "retire") {
        const record = objects.get(kind, id);
        if (!record) return;
        const endedAt = textOf(record[name("expires_at")]) ?? isoOf(due_ms);
        database.run("UPDATE secrets SET ended_at = ? WHERE key_id = ?", endedAt, id);
        inventory.remove(resource, id, due_ms);
        return;
      }
      const record = objects.get(kind, id);
      const endMs = record && expiresMs(record);
      // The new value reaches nobody here; the contract has it mailed to `notification_email`.
      if (record && (endMs === undefined || endMs > due_ms)) rotate(id, due_ms);
    },
  };
}

/** 401 of a key whose time is over. */
export const expired = (expiredAt: string): ServiceError =>
  new ServiceError("token_expired", "the API key has expired", { expired_at: expiredAt });

// Short and unique: the key's own number where it has one, with chance behind it.
const handleFor = (id: string, bytes: RandomBytes): string =>
  `${id
    .toLowerCase()
    .replace(/[^0-9a-z]/g, "")
    .slice(0, 12)}${Buffer.from(bytes(3)).toString("hex")}`;
