/** The life cycle of API keys: secrets, rotation and expiry. */
import { parseApiKey, period, periodMs } from "../../provider/contract";
import type { Environment, KeyClassName, KeyParts } from "../../provider/contract";
import type { ResolvedResource } from "../../provider/contract";
import { ServiceError } from "../http/errors";
import type { RandomBytes } from "../random";
import { wire, type Inventory } from "../service/inventory";
import type { Database } from "../store/database";
import type { Objects } from "../store/objects";
import type { WireRecord } from "../store/records";
import type { Timer, Timers } from "../store/timers";
import { isoOf } from "../time/clock";
import { expiresMsOf, textOf, type SecretRow } from "./callers";
import type { Mails } from "./mails";
import { handleOf, hashOf, makeValue, PREFIX_DEFAULT } from "./secret";

export interface KeyKind {
  readonly environment: Environment;
  readonly keyClass: KeyClassName;
  /** A value fixed from outside; undefined: a random one. */
  readonly value?: string | undefined;
}

/** A key with its value, which is never shown again. */
export interface NewKey {
  readonly record: WireRecord;
  readonly value: string;
}

/** What a rotation leaves behind: the old key until it expires, and the new one. */
export interface Rotation {
  readonly oldId: string;
  readonly oldExpiresAt: string;
  readonly replacement: NewKey;
}

/** Assumption: Grace period. */
const GRACE_MS_DEFAULT = 86_400_000;

interface Parts {
  readonly resource: ResolvedResource;
  readonly database: Database;
  readonly objects: Objects;
  readonly timers: Timers;
  readonly inventory: Inventory;
  readonly mails: Mails;
  readonly randomBytes: RandomBytes;
}

/** Keys are objects of the inventory; this adds their secrets and their timers. */
export class Keys {
  private readonly kind: string;

  /** What the first admin key is like; keys that are made later are like it. */
  private model: Pick<KeyParts, "prefix" | "environment"> = {
    prefix: PREFIX_DEFAULT,
    environment: "test",
  };

  constructor(private readonly parts: Parts) {
    this.kind = parts.resource.definition.name;
  }

  /** Makes keys like this one from now on: with its prefix and, unless they are asked for, its environment. */
  resemble(adminKey: string): void {
    this.model = parseApiKey(adminKey) ?? this.model;
  }

  get environment(): Environment {
    return this.model.environment;
  }

  /** Creates a key. Its value is in this answer only. */
  create(fields: WireRecord, kind: KeyKind, atMs: number): NewKey {
    const { resource, inventory } = this.parts;
    const created = inventory.create(resource, fields, { atMs });
    const id = String(created["id"]);
    const lineage = this.name("lineage_id");
    const record = { ...created, [lineage]: created[lineage] ?? id };
    inventory.change(resource, id, record, atMs);
    const value = this.issue(id, kind);
    this.plan(id, atMs);
    return { record, value };
  }

  /** Sets the timers of a key after a change: when it is to be rotated or retired. */
  plan(id: string, atMs: number): void {
    const { objects, timers } = this.parts;
    timers.drop(this.kind, id);
    const record = objects.get(this.kind, id);
    const secret = this.secretOf(id);
    if (!record || !secret) return;
    if (secret.rotated) {
      const due_ms = this.expiresMs(record) ?? atMs;
      return timers.add({ due_ms, kind: this.kind, id, action: "retire", detail: "" });
    }
    const everyMs = this.periodOf(record, "rotation_period");
    // Assumption: Rotation by the service.
    const isOn = [this.name("rotation_enabled"), this.name("auto_rotate")].some(
      (flag) => record[flag] === true,
    );
    if (!isOn || everyMs === undefined) return;
    const createdMs = Date.parse(String(record[this.name("created_at")]));
    const due_ms = Math.max((createdMs || atMs) + everyMs, atMs);
    timers.add({ due_ms, kind: this.kind, id, action: "rotate", detail: "" });
  }

  forget(id: string): void {
    this.parts.timers.drop(this.kind, id);
    this.deleteSecret(id);
  }

  /** Creates a key like this one, and lets the old one expire after its grace period. */
  rotate(id: string, atMs: number): Rotation {
    const { resource, database, inventory } = this.parts;
    const { record, secret } = this.rotatable(id, atMs);
    const endMs = this.expiresMs(record);
    const graceEndMs = atMs + (this.periodOf(record, "grace_period") ?? GRACE_MS_DEFAULT);
    // A rotation never extends the life of an old key.
    const oldExpiresAt = isoOf(Math.min(graceEndMs, endMs ?? graceEndMs));
    database.run("UPDATE secrets SET rotated = 1 WHERE key_id = ?", id);
    const old = { ...record, [this.name("expires_at")]: oldExpiresAt };
    inventory.change(resource, id, old, atMs);
    this.plan(id, atMs);
    const { id: _, [this.name("created_at")]: __, ...inherited } = record;
    const { environment, key_class: keyClass } = secret;
    const replacement = this.create(inherited, { environment, keyClass }, atMs);
    return { oldId: id, oldExpiresAt, replacement };
  }

  onDue({ action, id, due_ms }: Timer): void {
    const record = this.parts.objects.get(this.kind, id);
    if (!record) return;
    if (action === "retire") return this.retire(id, record, due_ms);
    const endMs = this.expiresMs(record);
    if (endMs === undefined || endMs > due_ms) this.mail(record, this.rotate(id, due_ms), due_ms);
  }

  renew(id: string, kind: KeyKind): string {
    this.deleteSecret(id);
    return this.issue(id, kind);
  }

  private mail(record: WireRecord, { oldId, oldExpiresAt, replacement }: Rotation, atMs: number) {
    const to = textOf(record[this.name("notification_email")]);
    if (to === undefined) return;
    const id = String(replacement.record["id"]);
    this.parts.mails.post({
      ...{ at: isoOf(atMs), to, subject: `API key ${oldId} was rotated` },
      old_key: { id: oldId, expires_at: oldExpiresAt },
      new_key: { id, value: replacement.value },
    });
  }

  private retire(id: string, record: WireRecord, atMs: number): void {
    const { resource, database, inventory } = this.parts;
    const endedAt = textOf(record[this.name("expires_at")]) ?? isoOf(atMs);
    database.run("UPDATE secrets SET ended_at = ? WHERE key_id = ?", endedAt, id);
    inventory.remove(resource, id, atMs);
  }

  /** Refuses a key that does not exist, has expired or was rotated before. */
  private rotatable(id: string, atMs: number): { record: WireRecord; secret: SecretRow } {
    const record = this.parts.objects.get(this.kind, id);
    const secret = this.secretOf(id);
    if (!secret) throw new ServiceError("not_found", `API key ${id} does not exist`);
    const endMs = record && this.expiresMs(record);
    if (record && !secret.rotated && (endMs === undefined || endMs > atMs)) {
      return { record, secret };
    }
    const reason = secret.rotated ? "was already rotated" : "has expired";
    const remedy = "rotate the current key of its lineage";
    throw new ServiceError("conflict", `API key ${id} ${reason}; ${remedy}`);
  }

  private issue(id: string, { environment, keyClass, value: fixed }: KeyKind): string {
    const { database, randomBytes } = this.parts;
    const value =
      fixed ?? makeValue(handleFor(id, randomBytes), { ...this.model, environment }, randomBytes);
    const handle = handleOf(value);
    if (database.one("SELECT 1 FROM secrets WHERE handle = ?", handle)) {
      throw new ServiceError("conflict", "another key has or had this value");
    }
    const sql =
      "INSERT INTO secrets (handle, key_id, hash, environment, key_class) VALUES (?, ?, ?, ?, ?)";
    database.run(sql, handle, id, hashOf(value), environment, keyClass);
    return value;
  }

  private deleteSecret(id: string): void {
    this.parts.database.run("DELETE FROM secrets WHERE key_id = ?", id);
  }

  private secretOf(id: string): SecretRow | undefined {
    return this.parts.database.one<SecretRow>("SELECT * FROM secrets WHERE key_id = ?", id);
  }

  private expiresMs(record: WireRecord): number | undefined {
    return expiresMsOf(this.parts.resource, record);
  }

  /** Undefined where it is not set, or odd: the copy of an account may hold anything. */
  private periodOf(record: WireRecord, field: string): number | undefined {
    const read = period.safeParse(record[this.name(field)]);
    return read.success ? periodMs(read.data) : undefined;
  }

  private name(field: string): string {
    return wire(this.parts.resource, field);
  }
}

// Short and unique: the number of the key, where its id has one, and random characters.
const handleFor = (id: string, bytes: RandomBytes): string =>
  `${id
    .toLowerCase()
    .replace(/[^0-9a-z]/g, "")
    .slice(0, 12)}${Buffer.from(bytes(3)).toString("hex")}`;
