/** The life of API keys: their secrets, rotation and end. */
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
import type { Objects } from "../store/objects";
import type { WireRecord } from "../store/records";
import type { Timer, Timers } from "../store/timers";
import { isoOf } from "../time/clock";
import { expiresMsOf, textOf, type SecretRow } from "./callers";
import { handleOf, hashOf, makeValue } from "./secret";

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

/** Assumption: how long an old key works where the key says nothing of it. */
const GRACE_MS_DEFAULT = 86_400_000;

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
  const expiresMs = (record: WireRecord) => expiresMsOf(resource, record);

  const issue = (id: string, { environment, keyClass, value: fixed }: KeyKind): string => {
    const value = fixed ?? makeValue(handleFor(id, randomBytes), environment, randomBytes);
    if (database.one("SELECT 1 FROM secrets WHERE handle = ?", handleOf(value))) {
      throw new ServiceError("conflict", "another key has this value, or had it");
    }
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
    objects.replace(kind, id, Date.parse(String(record[name("created_at")])), record);
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

// Short and unique: the key's own number where it has one, with chance behind it.
const handleFor = (id: string, bytes: RandomBytes): string =>
  `${id
    .toLowerCase()
    .replace(/[^0-9a-z]/g, "")
    .slice(0, 12)}${Buffer.from(bytes(3)).toString("hex")}`;
