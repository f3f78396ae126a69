/** Makes, changes and removes objects of any kind, with the states and events that follow. */
import type { ResolvedResource } from "../../provider/contract";
import { invalid, ServiceError } from "../http/errors";
import type { Objects } from "../store/objects";
import type { WireRecord } from "../store/records";
import type { Timers } from "../store/timers";
import { isoOf } from "../time/clock";

/** How an object becomes ready. */
export interface Provisioning {
  readonly outcome: "ready" | "failed" | "never";
  /** By the emulator's clock; 0: at once. */
  readonly ms: number;
}

export interface NewObject {
  readonly atMs: number;
  /** Absent: ready at once. */
  readonly provisioning?: Provisioning;
}

export interface Inventory {
  /** Makes an object. `id` and `created_at` among the fields are kept; else they are made. */
  create(resource: ResolvedResource, fields: WireRecord, how: NewObject): WireRecord;
  /** Puts a new record in place of the old one. */
  change(resource: ResolvedResource, id: string, record: WireRecord, atMs: number): void;
  remove(resource: ResolvedResource, id: string, atMs: number): void;
  /** Takes the state that a timer has brought. */
  enter(resource: ResolvedResource, id: string, state: string, atMs: number): void;
}

/** Tells the subscribers of an event; inside the transaction that made it. */
export type Emit = (event: string, data: WireRecord, atMs: number) => void;

/** A field's name on the wire. */
export const wire = (resource: ResolvedResource, name: string): string =>
  resource.wireNames[name] ?? name;

/** Keys are objects with a secret and an end, which `Keys` looks after. */
export const isKey = (resource: ResolvedResource): boolean =>
  resource.definition.name === "api_key";

export function createInventory(objects: Objects, timers: Timers, emit: Emit): Inventory {
  const tell = (
    resource: ResolvedResource,
    on: string,
    id: string,
    record: WireRecord,
    atMs: number,
  ) => {
    const event = resource.definition.events?.[on];
    if (event !== undefined) emit(event, eventData(resource, id, record), atMs);
  };
  const tellState = (resource: ResolvedResource, id: string, record: WireRecord, atMs: number) => {
    const state = String(record[wire(resource, "status")]);
    if (resource.states?.ready.includes(state)) tell(resource, "ready", id, record, atMs);
    if (resource.states?.failed.includes(state)) tell(resource, "failed", id, record, atMs);
    tell(resource, `state:${state}`, id, record, atMs);
  };

  const change: Inventory["change"] = (resource, id, record, atMs) => {
    const kind = resource.definition.name;
    const status = wire(resource, "status");
    const before = objects.get(kind, id);
    objects.replace(kind, id, createdMsOf(resource, record), record);
    if (!resource.states || before?.[status] === record[status]) return;
    // A state from elsewhere ends what the provisioning had in mind.
    timers.drop(kind, id, "state");
    tellState(resource, id, record, atMs);
  };

  return {
    change,
    create: (resource, fields, { atMs, provisioning }) => {
      const kind = resource.definition.name;
      const given = fields["id"];
      const id = typeof given === "string" ? given : freshId(objects, resource);
      if (objects.get(kind, id))
        throw new ServiceError("conflict", `there is a ${kind} ${id} already`);
      const createdAt = fields[wire(resource, "created_at")];
      const at = typeof createdAt === "string" ? createdAt : isoOf(atMs);
      const { states } = resource;
      const plan = states && nextState(states, provisioning);
      const record: WireRecord = {
        id,
        ...fields,
        ...(states && {
          [wire(resource, "status")]: fields[wire(resource, "status")] ?? plan?.now,
        }),
        [wire(resource, "created_at")]: at,
      };
      objects.insert(kind, id, createdMsOf(resource, record), record);
      if (plan?.later !== undefined) {
        const due_ms = atMs + (provisioning?.ms ?? 0);
        timers.add({ due_ms, kind, id, action: "state", detail: plan.later });
      }
      if (states) tellState(resource, id, record, atMs);
      return record;
    },
    remove: (resource, id, atMs) => {
      const kind = resource.definition.name;
      const record = objects.get(kind, id);
      if (!record) return;
      objects.remove(kind, id);
      timers.drop(kind, id);
      tell(resource, "deleted", id, record, atMs);
    },
    enter: (resource, id, state, atMs) => {
      const record = objects.get(resource.definition.name, id);
      if (record) change(resource, id, { ...record, [wire(resource, "status")]: state }, atMs);
    },
  };
}

function nextState(
  states: NonNullable<ResolvedResource["states"]>,
  provisioning: Provisioning = { outcome: "ready", ms: 0 },
): { now: string; later?: string } {
  const [ready = states.initial] = states.ready;
  const [failed = states.initial] = states.failed;
  if (provisioning.outcome === "never") return { now: states.initial };
  const end = provisioning.outcome === "failed" ? failed : ready;
  return provisioning.ms === 0 ? { now: end } : { now: states.initial, later: end };
}

/** What lists are sorted by. Refuses a time that is none; only one from outside can be. */
function createdMsOf(resource: ResolvedResource, record: WireRecord): number {
  const field = wire(resource, "created_at");
  const ms = Date.parse(String(record[field]));
  if (Number.isNaN(ms)) throw invalid(field, "must be an ISO 8601 timestamp");
  return ms;
}

/** Ids given from outside that may stand in a row. */
const TAKEN_IDS_MAX = 1_000_000;

// An id that somebody gave from outside may already look like the next one.
function freshId(objects: Objects, resource: ResolvedResource): string {
  const { name, idPrefix } = resource.definition;
  for (let turn = 0; turn < TAKEN_IDS_MAX; turn += 1) {
    const id = `${idPrefix}_${objects.nextNumber(name)}`;
    if (!objects.get(name, id)) return id;
  }
  throw new Error(`no id of ${name} is free`);
}

/** Assumption: every payload is like the one of `instance.deployed` that the contract shows. */
function eventData(resource: ResolvedResource, id: string, record: WireRecord): WireRecord {
  const references = Object.entries(resource.definition.fields)
    .filter(([name, field]) => field.references !== undefined && record[wire(resource, name)])
    .map(([name]) => [name, record[wire(resource, name)]] as const);
  const status = record[wire(resource, "status")];
  return {
    [`${resource.definition.name}_id`]: id,
    ...Object.fromEntries(references),
    ...(status !== undefined && { status }),
  };
}
