/** What `/_emulator` does, as functions: the HTTP calls and `startEmulator()` both use these. */
import {
  encodeBody,
  InvalidInput,
  issueAt,
  parse,
  type ResolvedResource,
} from "../../provider/contract";
import type { z } from "zod";
import { faultsSchema, type FaultInput } from "../faults/effects";
import { pathPattern, type Faults, type FaultState } from "../faults/faults";
import { notFound, ServiceError } from "../http/errors";
import type { Journal, JournalEntry } from "../journal";
import { checkPresent, fieldsMerged } from "../service/fields";
import { isKey } from "../service/inventory";
import type { Service } from "../service/service";
import { recordOf, type WireRecord } from "../store/records";
import { restoreTables, takeSnapshot } from "../store/snapshot";
import { isoOf } from "../time/clock";
import type { Delivery, Endpoint, NewEndpoint, Outbox } from "../webhooks/outbox";
import {
  clockSchema,
  newKeySchema,
  newObjectsSchema,
  newWebhookSchema,
  objectChangeSchema,
  snapshotSchema,
  type Snapshot,
} from "./schema";

/** A key as the dashboard would create it. */
export type NewKeyInput = z.input<typeof newKeySchema>;
/** A new key. Its value is in this answer only. */
export type CreatedKey = WireRecord & { readonly id: string; readonly value: string };
/** Time and rate of the emulator's clock. */
export interface ClockReading {
  readonly now: string;
  readonly rate: number;
}

/** All of `/_emulator`. */
export interface Control {
  health(): Record<string, unknown>;
  journal(): JournalEntry[];
  clearJournal(): void;
  clock(): ClockReading;
  setClock(change: z.input<typeof clockSchema>): ClockReading;
  faults(): FaultState[];
  setFaults(faults: readonly FaultInput[]): FaultState[];
  /** Where keys stand in their rate-limit windows. */
  limits(): { key_id: string; limit: number; remaining: number; reset: string }[];
  keys(): WireRecord[];
  createKey(input?: NewKeyInput): CreatedKey;
  webhooks(): Endpoint[];
  registerWebhook(input: NewEndpoint): Endpoint & { readonly secret: string };
  removeWebhook(id: string): void;
  deliveries(): Delivery[];
  snapshot(): Snapshot;
  restore(snapshot: unknown): void;
  reset(): void;
  counts(): Record<string, number>;
  objects(kind: string): WireRecord[];
  createObjects(kind: string, records: WireRecord | readonly WireRecord[]): WireRecord[];
  changeObject(kind: string, id: string, patch: WireRecord): WireRecord;
  removeObject(kind: string, id: string): void;
}

/** What the control acts on. */
export interface ControlParts {
  readonly service: Service;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly outbox: Outbox;
  /** Deletes everything and starts over. */
  readonly reset: () => void;
  /** To be called after the state was replaced. */
  readonly restored: () => void;
  readonly saveClock: () => void;
}

/** Reads input from outside; throws an InvalidInput that says what does not fit, and where. */
export function read<S extends z.ZodType>(subject: string, schema: S, value: unknown): z.output<S> {
  const result = parse(schema, value);
  if (result.success) return result.data;
  throw new InvalidInput(subject, result.issues);
}

/** Acts on the parts directly and keeps no state itself. */
export class EmulatorControl implements Control {
  constructor(private readonly parts: ControlParts) {}

  health(): Record<string, unknown> {
    const { contract, settings } = this.parts.service;
    const profile = contract.profile?.name ?? contract.hash;
    return { status: "ok", profile, ...settings, ...this.clock() };
  }

  journal(): JournalEntry[] {
    return this.parts.journal.entries();
  }

  clearJournal(): void {
    this.parts.journal.clear();
  }

  clock(): ClockReading {
    const { clock } = this.parts.service;
    return { now: clock.iso(), rate: clock.rate() };
  }

  setClock(change: z.input<typeof clockSchema>): ClockReading {
    const { advance, rate } = read("clock", clockSchema, change);
    const { clock, scheduler } = this.parts.service;
    scheduler.wake();
    if (advance !== undefined) clock.advance(advance);
    if (rate !== undefined) clock.setRate(rate);
    this.parts.saveClock();
    scheduler.wake();
    return this.clock();
  }

  faults(): FaultState[] {
    return this.parts.faults.list();
  }

  setFaults(input: readonly FaultInput[]): FaultState[] {
    const list = read("faults", faultsSchema, input);
    list.forEach(({ match }, index) => checkPattern(match.path, index));
    this.parts.faults.set(list);
    return this.parts.faults.list();
  }

  limits(): { key_id: string; limit: number; remaining: number; reset: string }[] {
    const standings = this.parts.service.limits.standings();
    return standings.map(({ keyId, limit, remaining, resetMs }) => ({
      key_id: keyId,
      limit,
      remaining,
      reset: isoOf(resetMs),
    }));
  }

  keys(): WireRecord[] {
    return this.recordsOf(this.parts.service.contract.resources.api_key);
  }

  createKey(input?: NewKeyInput): CreatedKey {
    return this.changing(() => this.newKey(input));
  }

  webhooks(): Endpoint[] {
    return this.parts.outbox.endpoints();
  }

  registerWebhook(input: NewEndpoint): Endpoint & { readonly secret: string } {
    const endpoint = read("webhook", newWebhookSchema, input);
    return this.parts.outbox.register(endpoint, this.parts.service.clock.nowMs());
  }

  removeWebhook(id: string): void {
    if (!this.parts.outbox.remove(id)) throw notFound(`webhook ${id}`);
  }

  deliveries(): Delivery[] {
    return this.parts.outbox.deliveries();
  }

  snapshot(): Snapshot {
    const { scheduler, database, clock } = this.parts.service;
    scheduler.wake();
    return takeSnapshot(database, clock.state());
  }

  restore(input: unknown): void {
    const snapshot = read("snapshot", snapshotSchema, input);
    restoreTables(this.parts.service.database, snapshot);
    this.parts.service.clock.restore(snapshot.clock);
    this.parts.restored();
  }

  reset(): void {
    this.parts.reset();
  }

  counts(): Record<string, number> {
    const { contract, objects } = this.parts.service;
    const kinds = Object.keys(contract.resources);
    return Object.fromEntries(kinds.map((kind) => [kind, objects.count(kind)]));
  }

  objects(kind: string): WireRecord[] {
    return this.recordsOf(this.resource(kind));
  }

  createObjects(kind: string, input: WireRecord | readonly WireRecord[]): WireRecord[] {
    const resource = this.resource(kind);
    const records = read("objects", newObjectsSchema, input);
    const { inventory, clock } = this.parts.service;
    return this.changing(() =>
      (Array.isArray(records) ? records : [records]).map((fields) =>
        isKey(resource)
          ? this.newKey(fields)
          : inventory.create(resource, fields, { atMs: clock.nowMs() }),
      ),
    );
  }

  changeObject(kind: string, id: string, input: WireRecord): WireRecord {
    const resource = this.resource(kind);
    const patch = read("object", objectChangeSchema, input);
    const { inventory, keys, clock } = this.parts.service;
    return this.changing(() => {
      const record = fieldsMerged(this.existing(resource, id), patch);
      inventory.change(resource, id, record, clock.nowMs());
      if (isKey(resource)) keys.plan(id, clock.nowMs());
      return record;
    });
  }

  removeObject(kind: string, id: string): void {
    const resource = this.resource(kind);
    const { inventory, keys, clock } = this.parts.service;
    this.changing(() => {
      this.existing(resource, id);
      inventory.remove(resource, id, clock.nowMs());
      if (isKey(resource)) keys.forget(id);
    });
  }

  private newKey(input: NewKeyInput = {}): CreatedKey {
    const { environment, key_class, value: fixed, ...fields } = read("key", newKeySchema, input);
    const { contract, settings, keys, clock } = this.parts.service;
    const { api_key } = contract.resources;
    const body = encodeBody(api_key, fields);
    checkPresent(api_key, body);
    const kind = { environment, keyClass: key_class ?? settings.keyClass, value: fixed };
    const { record, value } = keys.create(body, kind, clock.nowMs());
    return { ...record, id: String(record["id"]), value };
  }

  private resource(kind: string): ResolvedResource {
    const { resources } = this.parts.service.contract;
    const resource = Object.values<ResolvedResource>(resources).find(
      ({ definition }) => definition.name === kind || definition.plural === kind,
    );
    if (resource) return resource;
    const known = Object.keys(resources).join(", ");
    throw new ServiceError("not_found", `kind ${kind} does not exist; use one of ${known}`);
  }

  private existing(resource: ResolvedResource, id: string): WireRecord {
    const { name } = resource.definition;
    const record = this.parts.service.objects.get(name, id);
    if (!record) throw notFound(`${name} ${id}`);
    return record;
  }

  private recordsOf({ definition }: ResolvedResource): WireRecord[] {
    const { scheduler, objects } = this.parts.service;
    scheduler.wake();
    return objects.all(definition.name).map(({ body }) => recordOf(body));
  }

  /** Runs what is due before and after a change, and the change in one transaction. */
  private changing<T>(work: () => T): T {
    const { scheduler, database } = this.parts.service;
    scheduler.wake();
    const result = database.transaction(work);
    scheduler.wake();
    return result;
  }
}

function checkPattern(path: string | undefined, index: number): void {
  try {
    if (path !== undefined) pathPattern(path);
  } catch {
    const issue = issueAt([index, "match", "path"], "stated", {
      text: "is not a valid regular expression",
      remedy: "Use a glob such as /servers/* instead.",
    });
    throw new InvalidInput("faults", [issue]);
  }
}
