/** Puts the parts of the emulator together, without a server. The only place that knows them all. */
import type { Contract, KeyClassName, LimitWindow, ResolvedResource } from "../provider/contract";
import { ensureAdminKey, plant } from "./bootstrap";
import { EmulatorControl, type ControlParts } from "./control/control";
import { Faults } from "./faults/faults";
import { Journal } from "./journal";
import { createIdentify } from "./keys/callers";
import { Keys } from "./keys/keys";
import { DEFAULTS, type EmulatorOptions } from "./options";
import { secureBytes, seededRandom } from "./random";
import { Api } from "./service/api";
import { Inventory, wire } from "./service/inventory";
import { Limits, windowsOf } from "./service/limits";
import { Replays } from "./service/replays";
import type { Service, ServiceSettings } from "./service/service";
import { Changes } from "./store/changes";
import { Database } from "./store/database";
import { indexField, Objects } from "./store/objects";
import { fileKey, loadClock, saveClock } from "./store/settings";
import { emptyTables } from "./store/snapshot";
import { Timers } from "./store/timers";
import { Clock, type RealTime } from "./time/clock";
import { Scheduler } from "./time/scheduler";
import { Outbox } from "./webhooks/outbox";
import { Sender, sendWithFetch } from "./webhooks/sender";

const machineTime: RealTime = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

const settingsOf = (options: EmulatorOptions): ServiceSettings => ({
  plan: options.plan ?? DEFAULTS.plan,
  keyClass: options.keyClass ?? DEFAULTS.keyClass,
  limits: options.limits,
  strict: options.strict ?? false,
  genericAuthErrors: options.genericAuthErrors ?? false,
  provisionMs: options.provisionMs ?? DEFAULTS.provisionMs,
});

function windowsFor({ limits, plan }: ServiceSettings) {
  const byClass = new Map<KeyClassName, readonly LimitWindow[]>();
  return (keyClass: KeyClassName): readonly LimitWindow[] => {
    const known = limits ?? byClass.get(keyClass);
    if (known) return known;
    const windows = windowsOf(plan, keyClass);
    byClass.set(keyClass, windows);
    return windows;
  };
}

/** An emulator without a server. */
export class EmulatorCore {
  readonly service: Service;
  readonly api: Api;
  readonly control: EmulatorControl;
  readonly controlParts: ControlParts;
  /** Value of the first admin key. */
  readonly adminKey: string;
  private readonly outbox: Outbox;
  private readonly sender: Sender;

  /** The contract is passed in, so that any table of resources can be served. */
  constructor(
    private readonly options: EmulatorOptions,
    contract: Contract,
  ) {
    const { service, outbox, sender } = partsOf(options, contract);
    this.service = service;
    this.outbox = outbox;
    this.sender = sender;
    indexFields(service.database, contract);
    connectTimers(service);
    const { database, real, random, randomBytes } = service;
    const isNew = loadClock(database, real) === undefined;
    const faults = new Faults(random);
    const journal = new Journal(randomBytes);
    this.adminKey = database.transaction(() => ensureAdminKey(service, options.adminKey));
    this.api = new Api(service, faults, journal);
    this.controlParts = {
      ...{ service, faults, journal, outbox },
      saveClock: () => this.saveClock(),
      restored: () => this.resume(),
      reset: () => this.reset(faults, journal),
    };
    this.control = new EmulatorControl(this.controlParts);
    if (isNew && options.seed) plant(this.control, options.seed);
    this.saveClock();
    service.scheduler.wake();
  }

  /** Stops timers and webhooks, and closes the database. */
  stop(): void {
    this.service.scheduler.stop();
    this.sender.stop();
    this.saveClock();
    this.service.database.close();
  }

  private saveClock(): void {
    const { database, clock, real } = this.service;
    saveClock(database, clock.state(), real);
  }

  /** Continues with a state that has just replaced another one. */
  private resume(): void {
    const { limits, changes, timers, scheduler } = this.service;
    limits.clear();
    changes.clear();
    timers.reload();
    ensureAdminKey(this.service, this.adminKey);
    this.saveClock();
    scheduler.wake();
  }

  private reset(faults: Faults, journal: Journal): void {
    const { database, clock, real } = this.service;
    database.transaction(() => {
      emptyTables(database);
      this.outbox.clear();
    });
    clock.restore({ nowMs: real.wallMs(), rate: 1 });
    faults.set([]);
    this.resume();
    if (this.options.seed) plant(this.control, this.options.seed);
    journal.clear();
  }
}

/** Creates all parts, each from those before it. */
function partsOf(
  options: EmulatorOptions,
  contract: Contract,
): { service: Service; outbox: Outbox; sender: Sender } {
  const settings = settingsOf(options);
  const real = options.realTime ?? machineTime;
  const randomBytes = options.randomBytes ?? secureBytes;
  const random = seededRandom(options.randomSeed ?? DEFAULTS.randomSeed);
  const database = new Database({ file: options.dataFile, durable: options.durable ?? false });
  const clock = new Clock(real, loadClock(database, real));
  const changes = new Changes(real.monotonicMs);
  const objects = new Objects(database, changes);
  const timers = new Timers(database);
  const outbox = new Outbox(database, fileKey(options.dataFile, randomBytes), randomBytes);
  const inventory = new Inventory(objects, timers, outbox);
  const resource = contract.resources.api_key;
  const keys = new Keys({ resource, database, objects, timers, inventory, randomBytes });
  const identify = createIdentify(resource, database, objects);
  const limits = new Limits(windowsFor(settings), real);
  const replays = new Replays(database, contract.idempotencyWindowMs, randomBytes);
  const send = sendWithFetch(real);
  // The sender plans with the scheduler that runs it.
  const plan = () => scheduler.plan();
  const sender = new Sender({ outbox, clock, random, send, plan });
  const scheduler = new Scheduler(clock, [timers, sender]);
  const service: Service = {
    ...{ contract, settings, real, clock, random, randomBytes, database, changes },
    ...{ objects, timers, inventory, keys, identify, limits, replays, scheduler },
  };
  return { service, outbox, sender };
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
    for (const [name, field] of Object.entries(resource.definition.fields)) {
      const isLookedUp = field.restricts === true || field.filter !== undefined;
      if (isLookedUp) indexField(database, resource.definition.name, wire(resource, name));
    }
  }
}
