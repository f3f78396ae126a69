/** Puts the parts of the emulator together, without a server. The only place that knows them all. */
import { randomBytes as nodeRandomBytes } from "node:crypto";
import type { Contract, ResolvedResource } from "../provider/contract";
import { ensureAdminKey, isValid, plant, seedFate, type AdminKey } from "./bootstrap";
import { EmulatorControl } from "./control/control";
import type { Seed } from "./control/schema";
import { Feed } from "./control/feed";
import { Faults } from "./faults/faults";
import { Journal } from "./journal";
import { createIdentify } from "./keys/callers";
import { Keys } from "./keys/keys";
import { Mails } from "./keys/mails";
import { DEFAULTS, type EmulatorOptions, type Opened, type SeedFate } from "./options";
import { seededRandom } from "./random";
import { Api } from "./service/api";
import { fieldsOf, Inventory } from "./service/inventory";
import { Limits, windowsOf } from "./service/limits";
import { Replays } from "./service/replays";
import type { Identity, Service, ServiceSettings } from "./service/service";
import { Changes } from "./store/changes";
import { fileKey } from "./store/data-file";
import { Database } from "./store/database";
import { indexField, Objects } from "./store/objects";
import { isEmpty, loadClock, saveClock } from "./store/settings";
import { emptyTables } from "./store/snapshot";
import { Timers } from "./store/timers";
import { Clock, type RealTime } from "./time/clock";
import { Scheduler } from "./time/scheduler";
import { Outbox } from "./webhooks/outbox";
import { heldAlready, plantTwin, twinIn, type CopyOf } from "./twin/plant";
import type { Twin, TwinKey } from "./twin/schema";
import { Sender, sendWithFetch } from "./webhooks/sender";

const machineTime: RealTime = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

const settingsOf = (options: EmulatorOptions, copy: CopyOf | undefined): ServiceSettings => ({
  plan: options.plan ?? DEFAULTS.plan,
  keyClass: options.keyClass ?? DEFAULTS.keyClass,
  limits: options.limits ?? copy?.limits,
  strict: options.strict ?? false,
  genericAuthErrors: options.genericAuthErrors ?? false,
  provisionMs: options.provisionMs ?? DEFAULTS.provisionMs,
});

export class EmulatorCore {
  readonly service: Service;
  readonly api: Api;
  readonly control: EmulatorControl;
  readonly feed = new Feed();
  /** Value of the first admin key. */
  readonly adminKey: string;
  readonly opened: Opened;
  private readonly parts: Parts;
  private twinKeys: readonly TwinKey[] = [];

  /** The contract is passed in, so that any table of resources can be served. */
  constructor(
    private readonly options: EmulatorOptions,
    contract: Contract,
  ) {
    const database = new Database(options.dataFile, options.durable);
    try {
      this.parts = partsOf(options, contract, database);
      const { service, outbox, mails } = this.parts;
      this.service = service;
      database.onWrite = (table) => this.feed.touch(table);
      const faults = new Faults(service.random);
      const journal = new Journal(service.randomBytes);
      this.api = new Api(service, faults, journal);
      this.control = new EmulatorControl({
        ...{ service, faults, journal, outbox, mails },
        resetsTo: options.twin ? "copy" : options.seed ? "seed" : "nothing",
        saveClock: () => this.saveClock(),
        restored: () => this.resume(),
        reset: () => this.reset(faults, journal),
        touched: (topic) => this.feed.touch(topic),
      });
      indexFields(service.database, contract);
      connectTimers(service);
      [this.adminKey, this.opened] = service.database.transaction(() => this.open());
      service.scheduler.wake();
    } catch (error) {
      // A file that stays open stays locked.
      database.close();
      throw error;
    }
  }

  /** Stops timers and webhooks, and closes the database. */
  stop(): void {
    this.service.scheduler.stop();
    this.parts.sender.stop();
    this.saveClock();
    this.service.database.close();
  }

  /** The admin key and the seed, all or nothing: a start that fails leaves no half of a state. */
  private open(): [string, Opened] {
    const { service, fileKey } = this.parts;
    const { dataFile, seed, adminKey } = this.options;
    const isNew = isEmpty(service.database);
    if (adminKey !== undefined) service.keys.resemble(adminKey);
    this.plantTwin(isNew);
    const key = ensureAdminKey(service, fileKey, adminKey);
    const fate = seed === undefined ? "none" : isNew ? "planted" : this.seedFate(seed);
    if (seed !== undefined && isNew) plant(service, this.control, fileKey, seed);
    this.saveClock();
    if (!isNew) this.warnOfKey(key);
    const objectCount = Object.values(this.control.counts()).reduce((sum, count) => sum + count, 0);
    return [
      key.value,
      { dataFile, isNew, objectCount, seed: fate, adminKey: key.origin, twinKeys: this.twinKeys },
    ];
  }

  /** Before any other key, which might take the id of one of the account's. */
  private plantTwin(isNew: boolean): void {
    const { dataFile, twin } = this.options;
    if (twin === undefined) return;
    if (!isNew) throw heldAlready(String(dataFile));
    this.twinKeys = plantTwin(this.service, twin, this.twinKeys);
  }

  private seedFate(seed: Seed): SeedFate {
    const fate = seedFate(this.service, this.parts.fileKey, seed);
    if (fate === "changed") {
      this.parts.warn(
        `the seed is not the one that ${this.options.dataFile} was started with, and is not applied. ` +
          "POST /_emulator/reset deletes the state and starts over with it.",
      );
    }
    return fate;
  }

  private warnOfKey({ value, origin }: AdminKey): void {
    const { dataFile } = this.options;
    if (origin === "new") {
      this.parts.warn(
        `the admin key of ${dataFile} is a new one: the last one is no longer valid, ` +
          `or ${dataFile}.key is not the file that it was sealed with.`,
      );
    }
    if (!isValid(this.service, value)) {
      this.parts.warn(`the admin key that was given is no longer valid in ${dataFile}.`);
    }
  }

  private saveClock(): void {
    const { database, clock, real } = this.service;
    saveClock(database, clock.state(), real);
  }

  /** Continues with a state that has just replaced another one. */
  private resume(): void {
    const { limits, changes, scheduler, identity, database } = this.service;
    Object.assign(identity, identityOf(this.options, twinIn(database)?.of));
    limits.clear();
    changes.clear();
    ensureAdminKey(this.service, this.parts.fileKey, this.adminKey);
    this.saveClock();
    scheduler.wake();
  }

  private reset(faults: Faults, journal: Journal): void {
    const { database, clock, real } = this.service;
    const { outbox, mails, sender, fileKey } = this.parts;
    const { seed } = this.options;
    sender.forget();
    clock.restore({ nowMs: real.wallMs(), rate: 1 });
    database.transaction(() => {
      emptyTables(database);
      outbox.clear();
      mails.clear();
      this.plantTwin(true);
      this.resume();
      if (seed) plant(this.service, this.control, fileKey, seed);
    });
    faults.set([]);
    journal.clear();
    for (const topic of ["faults", "requests"]) this.feed.touch(topic);
  }
}

interface Parts {
  readonly service: Service;
  readonly outbox: Outbox;
  readonly mails: Mails;
  readonly sender: Sender;
  readonly fileKey: Uint8Array;
  readonly warn: (sentence: string) => void;
}

const identityOf = ({ accountId }: EmulatorOptions, of: Twin["of"] | undefined): Identity => ({
  twinOf: of,
  accountId: accountId ?? of?.accountId,
});

/** Creates all parts, each from those before it. */
function partsOf(options: EmulatorOptions, contract: Contract, database: Database): Parts {
  const { warn = (sentence: string) => process.emitWarning(sentence, "ErphostEmulator") } = options;
  const real = options.realTime ?? machineTime;
  const randomBytes = options.randomBytes ?? nodeRandomBytes;
  const random = seededRandom(options.randomSeed ?? DEFAULTS.randomSeed);
  const copy = options.twin ?? twinIn(database);
  const settings = settingsOf(options, copy);
  const clock = new Clock(real, loadClock(database, real));
  const changes = new Changes(real.monotonicMs);
  const objects = new Objects(database, changes);
  const timers = new Timers(database);
  const key = fileKey(options.dataFile, randomBytes);
  const outbox = new Outbox(database, key, randomBytes);
  const mails = new Mails(database, key, randomBytes);
  const identity = identityOf(options, copy?.of);
  const isTwin = (): boolean => identity.twinOf !== undefined;
  const inventory = new Inventory(objects, timers, outbox, isTwin);
  const resource = contract.resources.api_key;
  const keys = new Keys({ resource, database, objects, timers, inventory, mails, randomBytes });
  const identify = createIdentify(resource, database, objects);
  const limits = new Limits(
    (keyClass) => settings.limits ?? windowsOf(settings.plan, keyClass),
    real,
  );
  const replays = new Replays(database, contract.idempotencyWindowMs, randomBytes);
  const send = sendWithFetch(real);
  // The sender plans with the scheduler that runs it.
  const plan = () => scheduler.plan();
  const failed = (error: unknown) => scheduler.failed(error);
  const sender = new Sender({ outbox, clock, random, send, plan, failed });
  const scheduler = new Scheduler(clock, [timers, sender], warn);
  const service: Service = {
    ...{ identity, contract, settings, real, clock, random, randomBytes, database, changes },
    ...{ objects, timers, inventory, keys, identify, limits, replays, scheduler },
  };
  return { service, outbox, mails, sender, fileKey: key, warn };
}

/** Hands every timer that is due to the part that acts on it. */
function connectTimers({ contract, timers, keys, inventory }: Service): void {
  const resources: Readonly<Record<string, ResolvedResource>> = contract.resources;
  timers.onDue((timer) => {
    const resource = resources[timer.kind];
    if (timer.action !== "state") keys.onDue(timer);
    else if (resource) inventory.enter(resource, timer.id, timer.detail, timer.due_ms);
  });
}

/** Fields that are looked up by value: references that restrict a deletion, and filters. */
function indexFields(database: Database, contract: Contract): void {
  for (const resource of Object.values(contract.resources)) {
    for (const [key, { restricts, filter }] of fieldsOf(resource)) {
      if (restricts === true || filter !== undefined) {
        indexField(database, resource.definition.name, key);
      }
    }
  }
}
