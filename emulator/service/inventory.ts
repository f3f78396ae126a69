/** Creates, changes and removes objects of any kind, with the states and events that follow. */
import type { Field, ResolvedResource } from "../../provider/contract";
import { invalid, notFound, ServiceError } from "../http/errors";
import type { Objects } from "../store/objects";
import type { WireRecord } from "../store/records";
import type { Timers } from "../store/timers";
import { isoOf } from "../time/clock";

/** Consecutive ids that may be taken already. */
const TAKEN_IDS_MAX = 1_000_000;

export interface Provisioning {
  readonly outcome: "ready" | "failed" | "never";
  /** By the emulator's clock; 0: at once. */
  readonly ms: number;
}

export interface NewObject {
  readonly atMs: number;
  /** Left out: ready at once. */
  readonly provisioning?: Provisioning;
}

/** What delivers an event to its subscribers, inside the transaction that caused it. */
export interface Events {
  emit(event: string, data: WireRecord, atMs: number): void;
}

/** A field's name on the wire. */
export const wire = (resource: ResolvedResource, name: string): string =>
  resource.wireNames[name] ?? name;

/** The fields of a resource by their names on the wire. */
export const fieldsOf = (resource: ResolvedResource): (readonly [key: string, field: Field])[] =>
  Object.entries(resource.definition.fields).map(([name, field]) => [wire(resource, name), field]);

/** An object. @throws ServiceError 404 where there is none */
export function existing(
  { objects }: { readonly objects: Objects },
  { definition }: ResolvedResource,
  id: string,
): WireRecord {
  const record = objects.get(definition.name, id);
  if (!record) throw notFound(`${definition.name} ${id}`);
  return record;
}

/** Keys are objects with a secret and an expiry, which `Keys` takes care of. */
export const isKey = (resource: ResolvedResource): boolean =>
  resource.definition.name === "api_key";

interface Subject {
  readonly resource: ResolvedResource;
  readonly id: string;
  readonly record: WireRecord;
}

/** Objects with their states and events. */
export class Inventory {
  constructor(
    private readonly objects: Objects,
    private readonly timers: Timers,
    private readonly events: Events,
    /** A twin's new ids are never ones that its account could give later. Its times may be odd. */
    private readonly isTwin: () => boolean = () => false,
  ) {}

  /** Creates an object. `id` and `created_at` are kept if the fields have them. */
  create(resource: ResolvedResource, fields: WireRecord, how: NewObject): WireRecord {
    const { atMs, provisioning } = how;
    const kind = resource.definition.name;
    const id = this.idFor(resource, fields["id"]);
    const createdAt = fields[wire(resource, "created_at")];
    const status = wire(resource, "status");
    const { states } = resource;
    const course = states && courseOf(states, provisioning);
    const record: WireRecord = {
      id,
      ...fields,
      ...(states && { [status]: fields[status] === undefined ? course?.now : fields[status] }),
      [wire(resource, "created_at")]: typeof createdAt === "string" ? createdAt : isoOf(atMs),
    };
    this.objects.insert(kind, id, this.createdMsOf(resource, record), record);
    this.later(kind, id, course?.later, how);
    if (states) this.announceState({ resource, id, record }, atMs);
    return record;
  }

  /** Lets an object become ready once more, as after a change that takes time. */
  restart(resource: ResolvedResource, record: WireRecord, how: NewObject): WireRecord {
    if (!resource.states) return record;
    const kind = resource.definition.name;
    const id = String(record["id"]);
    const course = courseOf(resource.states, how.provisioning);
    const restarted = { ...record, [wire(resource, "status")]: course.now };
    this.change(resource, id, restarted, how.atMs);
    this.later(kind, id, course.later, how);
    return restarted;
  }

  private later(kind: string, id: string, state: string | undefined, how: NewObject): void {
    if (state === undefined) return;
    const due_ms = how.atMs + (how.provisioning?.ms ?? 0);
    this.timers.add({ due_ms, kind, id, action: "state", detail: state });
  }

  change(resource: ResolvedResource, id: string, record: WireRecord, atMs: number): void {
    const kind = resource.definition.name;
    const status = wire(resource, "status");
    const before = this.objects.get(kind, id);
    this.objects.replace(kind, id, this.createdMsOf(resource, record), record);
    if (!resource.states || before?.[status] === record[status]) return;
    // A state that is set from outside replaces the one that provisioning has planned.
    this.timers.drop(kind, id, "state");
    this.announceState({ resource, id, record }, atMs);
  }

  remove(resource: ResolvedResource, id: string, atMs: number): void {
    const kind = resource.definition.name;
    const record = this.objects.get(kind, id);
    if (!record) return;
    this.objects.remove(kind, id);
    this.timers.drop(kind, id);
    this.announce({ resource, id, record }, "deleted", atMs);
  }

  enter(resource: ResolvedResource, id: string, state: string, atMs: number): void {
    const record = this.objects.get(resource.definition.name, id);
    if (record) this.change(resource, id, { ...record, [wire(resource, "status")]: state }, atMs);
  }

  /** What lists are sorted by. An invalid time, which only control calls can set, is refused but in a twin. */
  private createdMsOf(resource: ResolvedResource, record: WireRecord): number {
    const field = wire(resource, "created_at");
    const ms = Date.parse(String(record[field]));
    if (!Number.isNaN(ms)) return ms;
    if (this.isTwin()) return 0;
    throw invalid(field, "must be an ISO 8601 timestamp");
  }

  private idFor(resource: ResolvedResource, requested: unknown): string {
    const kind = resource.definition.name;
    if (typeof requested !== "string") return this.freshId(resource);
    if (!this.objects.row(kind, requested)) return requested;
    throw new ServiceError("conflict", `${kind} ${requested} already exists`);
  }

  // An id that was set from outside may look like the next one.
  private freshId(resource: ResolvedResource): string {
    const { name, idPrefix } = resource.definition;
    for (let turn = 0; turn < TAKEN_IDS_MAX; turn += 1) {
      const prefix = this.isTwin() ? `${idPrefix}_twin` : idPrefix;
      const id = `${prefix}_${this.objects.nextNumber(name)}`;
      if (!this.objects.row(name, id)) return id;
    }
    throw new Error(`every id of ${name} is taken`);
  }

  private announceState(subject: Subject, atMs: number): void {
    const { resource, record } = subject;
    const state = String(record[wire(resource, "status")]);
    if (resource.states?.ready.includes(state)) this.announce(subject, "ready", atMs);
    if (resource.states?.failed.includes(state)) this.announce(subject, "failed", atMs);
    this.announce(subject, `state:${state}`, atMs);
  }

  private announce(subject: Subject, on: string, atMs: number): void {
    const event = subject.resource.definition.events?.[on];
    if (event !== undefined) this.events.emit(event, eventData(subject), atMs);
  }
}

/** The state of a new object, and the one that it enters later. */
function courseOf(
  states: NonNullable<ResolvedResource["states"]>,
  provisioning: Provisioning = { outcome: "ready", ms: 0 },
): { now: string; later?: string } {
  const [ready = states.initial] = states.ready;
  const [failed = states.initial] = states.failed;
  if (provisioning.outcome === "never") return { now: states.initial };
  const end = provisioning.outcome === "failed" ? failed : ready;
  return provisioning.ms === 0 ? { now: end } : { now: states.initial, later: end };
}

/** What an event would say of an object that does not exist; undefined for one that nothing emits. */
export function sampleEventData(
  resources: readonly ResolvedResource[],
  event: string,
): WireRecord | undefined {
  for (const resource of resources) {
    const { definition, states } = resource;
    const on = Object.entries(definition.events ?? {}).find(([, name]) => name === event)?.[0];
    if (on === undefined) continue;
    const ids = Object.entries(definition.fields).flatMap(([name, { references }]) => {
      const [only = name, ...others] = definition.exactlyOne ?? [];
      const target = resources.find((each) => each.definition.name === references);
      if (target === undefined || (others.includes(name) && name !== only)) return [];
      return [[wire(resource, name), sampleId(target)] as const];
    });
    const status = on === "failed" ? states?.failed[0] : /^state:(.+)/.exec(on)?.[1];
    const id = sampleId(resource);
    const record = {
      ...Object.fromEntries(ids),
      ...(states && { [wire(resource, "status")]: status ?? states.ready[0] }),
    };
    return eventData({ resource, id, record });
  }
  return undefined;
}

const sampleId = ({ definition }: ResolvedResource): string => `${definition.idPrefix}_test`;

/** Assumption: Payloads of events. */
function eventData({ resource, id, record }: Subject): WireRecord {
  const references = Object.entries(resource.definition.fields)
    .map(([name, field]) => [name, field.references && record[wire(resource, name)]] as const)
    .filter(([, value]) => value);
  const status = record[wire(resource, "status")];
  return {
    [`${resource.definition.name}_id`]: id,
    ...Object.fromEntries(references),
    ...(status !== undefined && { status }),
  };
}
