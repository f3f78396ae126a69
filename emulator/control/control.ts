/** What `/_emulator` does, as functions: the HTTP calls and `startEmulator()` both use these. */
import { encodeBody, InvalidInput, issuesOf, type ResolvedResource } from "../../provider/contract";
import type { z } from "zod";
import { faultsSchema, type FaultInput } from "../faults/effects";
import { pathPattern, type Faults, type FaultState } from "../faults/faults";
import { notFound } from "../http/errors";
import type { Journal, JournalEntry } from "../journal";
import { checkGiven, fieldsMerged } from "../service/fields";
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

/** A key as the dashboard would make it. */
export type NewKeyInput = z.input<typeof newKeySchema>;
/** The value is answered this once. */
export type CreatedKey = WireRecord & { readonly id: string; readonly value: string };
export interface ClockReading {
  readonly now: string;
  readonly rate: number;
}

export interface Control {
  health(): Record<string, unknown>;
  journal(): JournalEntry[];
  clearJournal(): void;
  clock(): ClockReading;
  setClock(change: z.input<typeof clockSchema>): ClockReading;
  faults(): FaultState[];
  setFaults(faults: readonly FaultInput[]): FaultState[];
  /** Where keys stand in their rate windows. */
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

interface Parts {
  readonly service: Service;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly outbox: Outbox;
  /** Empties everything and starts anew. */
  readonly reset: () => void;
  /** After a state was put in place of the old one. */
  readonly restored: () => void;
  readonly saveClock: () => void;
}

/** Reads what came from outside; what does not fit is an InvalidInput that says where. */
export function read<S extends z.ZodType>(subject: string, schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new InvalidInput(subject, issuesOf(result.error), "GET /_emulator has the schemas.");
}

export function createControl(parts: Parts): Control {
  const { service, faults, journal, outbox } = parts;
  const { contract, clock, database, objects } = service;
  const resources: Readonly<Record<string, ResolvedResource>> = contract.resources;

  const resourceOf = (kind: string): ResolvedResource => {
    const found = Object.values(resources).find(
      ({ definition }) => definition.name === kind || definition.plural === kind,
    );
    if (!found) throw notFound(`kind ${kind}; there are ${Object.keys(resources).join(", ")};`);
    return found;
  };
  const recordFor = (resource: ResolvedResource, id: string) => {
    const record = objects.get(resource.definition.name, id);
    if (!record) throw notFound(`${resource.definition.name} ${id}`);
    return record;
  };
  const changed = <T>(work: () => T): T => {
    service.scheduler.wake();
    const result = database.transaction(work);
    service.scheduler.wake();
    return result;
  };
  const reading = () => ({ now: clock.iso(), rate: clock.rate() });
  const all = (kind: string) => {
    service.scheduler.wake();
    return objects.all(kind).map(({ body }) => recordOf(body));
  };

  const createKey = (input: NewKeyInput = {}): CreatedKey => {
    const { environment, key_class, value, ...fields } = read("key", newKeySchema, input);
    const keyClass = key_class ?? service.settings.keyClass;
    const { api_key } = contract.resources;
    const record = encodeBody(api_key, fields);
    checkGiven(api_key, record);
    const made = service.keys.create(record, { environment, keyClass, value }, clock.nowMs());
    return { ...made.record, id: String(made.record["id"]), value: made.value };
  };

  return {
    health: () => ({
      status: "ok",
      profile: contract.profile?.name ?? contract.hash,
      ...service.settings,
      ...reading(),
    }),
    journal: () => journal.entries(),
    clearJournal: () => journal.clear(),
    clock: reading,
    setClock: (change) => {
      const { advance, rate } = read("clock", clockSchema, change);
      service.scheduler.wake();
      if (advance !== undefined) clock.advance(advance);
      if (rate !== undefined) clock.setRate(rate);
      parts.saveClock();
      service.scheduler.wake();
      return reading();
    },
    faults: () => faults.list(),
    setFaults: (input) => {
      const list = read("faults", faultsSchema, input);
      for (const { match } of list) checkPattern(match.path);
      faults.set(list);
      return faults.list();
    },
    limits: () =>
      service.limits.standings().map(({ keyId, limit, remaining, resetMs }) => ({
        ...{ key_id: keyId, limit, remaining, reset: isoOf(resetMs) },
      })),
    keys: () => all(contract.resources.api_key.definition.name),
    createKey: (input) => changed(() => createKey(input)),
    webhooks: () => outbox.endpoints(),
    registerWebhook: (input) =>
      outbox.register(read("webhook", newWebhookSchema, input), clock.nowMs()),
    removeWebhook: (id) => {
      if (!outbox.remove(id)) throw notFound(`webhook ${id}`);
    },
    deliveries: () => outbox.deliveries(),
    snapshot: () => {
      service.scheduler.wake();
      return takeSnapshot(database, clock.state());
    },
    restore: (input) => {
      const snapshot = read("snapshot", snapshotSchema, input);
      restoreTables(database, snapshot);
      clock.restore(snapshot.clock);
      parts.restored();
    },
    reset: parts.reset,
    counts: () =>
      Object.fromEntries(Object.keys(resources).map((kind) => [kind, objects.count(kind)])),
    objects: (kind) => all(resourceOf(kind).definition.name),
    createObjects: (kind, input) => {
      const resource = resourceOf(kind);
      const given = read("objects", newObjectsSchema, input);
      return changed(() =>
        (Array.isArray(given) ? given : [given]).map((fields) =>
          isKey(resource)
            ? createKey(fields)
            : service.inventory.create(resource, fields, { atMs: clock.nowMs() }),
        ),
      );
    },
    changeObject: (kind, id, input) => {
      const resource = resourceOf(kind);
      const patch = read("object", objectChangeSchema, input);
      return changed(() => {
        const record = fieldsMerged(recordFor(resource, id), patch);
        service.inventory.change(resource, id, record, clock.nowMs());
        if (isKey(resource)) service.keys.planned(id, clock.nowMs());
        return record;
      });
    },
    removeObject: (kind, id) => {
      const resource = resourceOf(kind);
      changed(() => {
        recordFor(resource, id);
        service.inventory.remove(resource, id, clock.nowMs());
        if (isKey(resource)) service.keys.forget(id);
      });
    },
  };
}

function checkPattern(path: string | undefined): void {
  try {
    if (path !== undefined) pathPattern(path);
  } catch {
    const issue = { path: ["match", "path"], message: "is no regular expression" };
    throw new InvalidInput("faults", [issue], "Give a glob such as /servers/* instead.");
  }
}
