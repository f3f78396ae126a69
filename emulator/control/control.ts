/** What `/_emulator` does, as functions: the HTTP calls and `startEmulator()` both use these. */
import { stated } from "../../provider/contract";
import type { z } from "zod";
import { faultsSchema, type FaultInput } from "../faults/effects";
import { pathPattern, type Faults, type FaultState } from "../faults/faults";
import { notFound, ServiceError } from "../http/errors";
import type { CallCount, Follower, Journal, JournalEntry } from "../journal";
import type { Mail, Mails } from "../keys/mails";
import { existing, sampleEventData, wire } from "../service/inventory";
import type { Service } from "../service/service";
import { readPage } from "../store/list";
import { recordOf, type WireRecord } from "../store/records";
import { restoreTables, takeSnapshot } from "../store/snapshot";
import { shownOf } from "../service/limits";
import type { Delivery, Endpoint, NewEndpoint, Outbox } from "../webhooks/outbox";
import { changeObject, createKey, createObjects, removeObject, resourceOf } from "./objects";
import type { CreatedKey } from "./objects";
import { clockSchema, newWebhookSchema, pageSchema, read, snapshotSchema } from "./schema";
import { testEventSchema } from "./schema";
import type { NewKeyInput, Snapshot } from "./schema";

interface ControlParts {
  readonly service: Service;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly outbox: Outbox;
  readonly mails: Mails;
  /** What is there after a reset, besides the admin key. */
  readonly resetsTo: "copy" | "seed" | "nothing";
  readonly reset: () => void;
  /** To be called after the state was replaced. */
  readonly restored: () => void;
  readonly saveClock: () => void;
  /** To be called with what has changed besides the database. */
  readonly touched: (topic: string) => void;
}

/** One page of a list, and how many objects there are on all pages. */
interface ObjectPage {
  readonly objects: readonly WireRecord[];
  readonly total: number;
}

/** How many requests are left in a window, which ends in real time. */
interface WindowLeft {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: string;
}

/** Where a key stands in the window that has the fewest requests left, and in each. */
interface KeyLimits extends WindowLeft {
  readonly key_id: string;
  readonly windows: readonly (WindowLeft & { readonly window_ms: number })[];
}

/** Time and rate of the emulator's clock. */
interface ClockReading {
  readonly now: string;
  readonly rate: number;
}

/** All of `/_emulator`, and nothing of what is behind it. */
export type Control = Pick<EmulatorControl, keyof EmulatorControl>;

/** Keeps no state. Its methods are properties, so that a program can take them off it. */
export class EmulatorControl {
  readonly #parts: ControlParts;
  readonly #service: Service;

  /** @internal What is behind it is in no declaration that is published. */
  constructor(parts: ControlParts) {
    this.#parts = parts;
    this.#service = parts.service;
  }

  readonly health = (): Record<string, unknown> => {
    const { contract, settings, identity, keys } = this.#service;
    const { environment } = keys;
    const profile = contract.profile?.name ?? contract.hash;
    const twin = identity.twinOf && { twin_of: identity.twinOf };
    const { resetsTo: resets_to } = this.#parts;
    return { status: "ok", profile, environment, ...settings, ...twin, resets_to, ...this.clock() };
  };

  readonly journal = (): JournalEntry[] => this.#parts.journal.entries();

  /** Calls a function when a request arrives, and when it is over. Returns what ends that. */
  readonly follow = (follower: Follower): (() => void) => this.#parts.journal.follow(follower);

  /** How often each call was made, in the journal. */
  readonly calls = (after?: number): CallCount[] => this.#parts.journal.counts(after);

  readonly clearJournal = (): void => {
    this.#parts.journal.clear();
    this.#parts.touched("requests");
  };

  readonly clock = (): ClockReading => {
    const { clock } = this.#service;
    return { now: clock.iso(), rate: clock.rate() };
  };

  readonly setClock = (change: z.input<typeof clockSchema>): ClockReading => {
    const { advance, now, rate } = read("clock", clockSchema, change);
    const { clock, scheduler } = this.#service;
    scheduler.wake();
    const byMs = now === undefined ? advance : Date.parse(now) - clock.nowMs();
    if (byMs !== undefined && byMs < 0) {
      const text = `is before the emulator's time, ${clock.iso()}; its clock only goes forward`;
      throw stated("clock", ["now"], text);
    }
    if (byMs !== undefined) clock.advance(byMs);
    if (rate !== undefined) clock.setRate(rate);
    this.#parts.saveClock();
    scheduler.wake();
    return this.clock();
  };

  readonly faults = (): FaultState[] => this.#parts.faults.list();

  /** Counts start at 0, except, where they are kept, those of the same faults. */
  readonly setFaults = (input: readonly FaultInput[], keepsCounts = false): FaultState[] => {
    const list = read("faults", faultsSchema, input);
    list.forEach(({ match }, index) => checkPattern(match.path, index));
    this.#parts.faults.set(list, keepsCounts);
    this.#parts.touched("faults");
    return this.#parts.faults.list();
  };

  /** Where keys stand in their rate-limit windows. */
  readonly limits = (): KeyLimits[] =>
    this.#service.limits
      .standings()
      .map(({ keyId, windows, ...standing }) => ({
        ...{ key_id: keyId, ...shownOf(standing) },
        windows: windows.map((each) => ({ window_ms: each.windowMs, ...shownOf(each) })),
      }));

  readonly keys = (): WireRecord[] => this.objects("api_key");

  readonly createKey = (input?: NewKeyInput): CreatedKey =>
    this.#changing(() => createKey(this.#service, input));

  /** Replaces a key by a new one, whose value is in this answer only. */
  readonly rotateKey = (id: string): CreatedKey =>
    this.#changing(() => {
      const { keys, clock } = this.#service;
      const { record, value } = keys.rotate(id, clock.nowMs()).replacement;
      return { ...record, id: String(record["id"]), value };
    });

  /** Mails about rotations by the service, with the new secrets. */
  readonly mails = (): Mail[] => {
    this.#service.scheduler.wake();
    return this.#parts.mails.list();
  };

  readonly webhooks = (): Endpoint[] => this.#parts.outbox.endpoints();

  readonly registerWebhook = (input: NewEndpoint): Endpoint & { readonly secret: string } => {
    const endpoint = read("webhook", newWebhookSchema, input);
    return this.#parts.outbox.register(endpoint, this.#service.clock.nowMs());
  };

  readonly removeWebhook = (id: string): void => {
    if (!this.#parts.outbox.remove(id)) throw notFound(`webhook ${id}`);
  };

  /** Sends an event about objects that do not exist. */
  readonly testWebhook = (id: string, input: z.input<typeof testEventSchema> = {}): void => {
    const { event } = read("test", testEventSchema, input);
    this.#checkReceives(id);
    const { contract, clock } = this.#service;
    const data = sampleEventData(Object.values(contract.resources), event) ?? {};
    this.#changing(() => this.#parts.outbox.send([id], event, data, clock.nowMs()));
  };

  #checkReceives(id: string): void {
    const endpoint = this.webhooks().find((each) => each.id === id);
    if (!endpoint) throw notFound(`webhook ${id}`);
    if (!endpoint.disabled) return;
    throw new ServiceError("conflict", `webhook ${id} is disabled: it answered 410. Enable it`);
  }

  /** Lets an endpoint that answered 410 receive events again. */
  readonly enableWebhook = (id: string): void => {
    if (!this.#parts.outbox.enable(id)) throw notFound(`webhook ${id}`);
  };

  /** For 24 hours the previous secret signs as well. */
  readonly rotateWebhookSecret = (id: string): { readonly secret: string } => {
    const secret = this.#parts.outbox.rotateSecret(id, this.#service.clock.nowMs());
    if (secret === undefined) throw notFound(`webhook ${id}`);
    return { secret };
  };

  readonly deliveries = (): Delivery[] => this.#parts.outbox.deliveries();

  readonly redeliver = (seq: number): void => {
    const delivery = this.deliveries().find((each) => each.seq === seq);
    if (!delivery) throw notFound(`delivery ${seq}`);
    this.#checkReceives(delivery.endpoint_id);
    const nowMs = this.#service.clock.nowMs();
    this.#changing(() => this.#parts.outbox.redeliver(seq, nowMs));
  };

  readonly snapshot = (): Snapshot => {
    const { scheduler, database, clock } = this.#service;
    scheduler.wake();
    return takeSnapshot(database, clock.state());
  };

  readonly restore = (input: unknown): void => {
    const snapshot = read("snapshot", snapshotSchema, input);
    restoreTables(this.#service.database, snapshot);
    this.#service.clock.restore(snapshot.clock);
    this.#parts.restored();
  };

  readonly reset = (): void => this.#parts.reset();

  readonly counts = (): Record<string, number> => {
    const { contract, objects } = this.#service;
    const kinds = Object.keys(contract.resources);
    return Object.fromEntries(kinds.map((kind) => [kind, objects.count(kind)]));
  };

  readonly objects = (kind: string): WireRecord[] => {
    const { definition } = resourceOf(this.#service, kind);
    const { scheduler, objects } = this.#service;
    scheduler.wake();
    return objects.all(definition.name).map(({ body }) => recordOf(body));
  };

  readonly createObjects = (
    kind: string,
    input: WireRecord | readonly WireRecord[],
  ): WireRecord[] => {
    const resource = resourceOf(this.#service, kind);
    return this.#changing(() => createObjects(this.#service, resource, input));
  };

  readonly changeObject = (kind: string, id: string, input: WireRecord): WireRecord => {
    const resource = resourceOf(this.#service, kind);
    return this.#changing(() => changeObject(this.#service, resource, id, input));
  };

  readonly removeObject = (kind: string, id: string): void => {
    const resource = resourceOf(this.#service, kind);
    this.#changing(() => removeObject(this.#service, resource, id));
  };

  readonly object = (kind: string, id: string): WireRecord =>
    existing(this.#service, resourceOf(this.#service, kind), id);

  /** One page of a kind, sorted by a field, of objects that contain a text. */
  readonly page = (kind: string, query: Readonly<Record<string, unknown>>): ObjectPage => {
    const { page, per_page: limit, sort, order, text } = read("page", pageSchema, query);
    const resource = resourceOf(this.#service, kind);
    const { bodies, count } = readPage(this.#service.database, {
      ...{ kind: resource.definition.name, conditions: [], text, sort, limit },
      ...{ descending: order === "desc", offset: (page - 1) * limit },
      createdAt: wire(resource, "created_at"),
    });
    return { objects: bodies.map(recordOf), total: count };
  };

  /** Runs what is due before and after a change, and the change in one transaction. */
  #changing<T>(work: () => T): T {
    const { scheduler, database } = this.#service;
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
    const text = "is not a valid regular expression";
    const remedy = "Use a glob such as /servers/* instead.";
    throw stated("faults", [index, "match", "path"], text, remedy);
  }
}
