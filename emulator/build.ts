/** Puts the emulator's parts together, without a server. The only place that knows all of them. */
import type { Contract, KeyClassName, LimitWindow, ResolvedResource } from "../provider/contract";
import { ensureAdminKey, plant } from "./bootstrap";
import { createControl, type Control } from "./control/control";
import { createFaults } from "./faults/faults";
import { createJournal } from "./journal";
import { createIdentify } from "./keys/callers";
import { createKeys } from "./keys/keys";
import { DEFAULTS, type EmulatorOptions } from "./options";
import { secureBytes, seededRandom } from "./random";
import { createApi, type Api } from "./service/api";
import { createInventory, wire } from "./service/inventory";
import { createLimits, windowsOf } from "./service/limits";
import { createReplays } from "./service/replays";
import type { Service, ServiceSettings } from "./service/service";
import { createChanges } from "./store/changes";
import { openDatabase, type Database } from "./store/database";
import { createObjects, indexField } from "./store/objects";
import { fileKey, loadClock, saveClock } from "./store/settings";
import { emptyTables } from "./store/snapshot";
import { createTimers } from "./store/timers";
import { createClock, type RealTime } from "./time/clock";
import { createScheduler, type Scheduler } from "./time/scheduler";
import { createOutbox } from "./webhooks/outbox";
import { createSender, sendWithFetch } from "./webhooks/sender";

export interface Built {
  readonly service: Service;
  readonly api: Api;
  readonly control: Control;
  readonly adminKey: string;
  readonly stop: () => void;
}

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
    const made = windowsOf(plan, keyClass);
    byClass.set(keyClass, made);
    return made;
  };
}

/** The contract is passed in, so that any table of resources can be served. */
export function build(options: EmulatorOptions, contract: Contract): Built {
  const settings = settingsOf(options);
  const real = options.realTime ?? machineTime;
  const randomBytes = options.randomBytes ?? secureBytes;
  const random = seededRandom(options.randomSeed ?? DEFAULTS.randomSeed);
  const database = openDatabase({ file: options.dataFile, durable: options.durable ?? false });
  const clock = createClock(real, loadClock(database, real));
  const changes = createChanges(real.monotonicMs);
  const objects = createObjects(database, changes);
  const timers = createTimers(database);
  const outbox = createOutbox(database, fileKey(options.dataFile, randomBytes), randomBytes);
  const inventory = createInventory(objects, timers, outbox.emit);
  const resource = contract.resources.api_key;
  const keys = createKeys({ resource, database, objects, timers, inventory, randomBytes });
  const identify = createIdentify(resource, database, objects);
  const limits = createLimits(windowsFor(settings), real);
  const replays = createReplays(database, contract.idempotencyWindowMs, randomBytes);
  // The sender plans through the scheduler that runs it.
  const later: { scheduler?: Scheduler } = {};
  const send = sendWithFetch(real);
  const sender = createSender({ outbox, clock, random, send, plan: () => later.scheduler?.plan() });
  const scheduler = createScheduler(clock, [timers, sender]);
  later.scheduler = scheduler;
  const parts = { contract, settings, real, clock, random, randomBytes, database, changes };
  const service: Service = {
    ...parts,
    ...{ objects, timers, inventory, keys, identify, limits, replays, scheduler },
  };
  indexFields(database, contract);
  const resources: Readonly<Record<string, ResolvedResource>> = contract.resources;
  timers.onDue((timer) => {
    const owner = resources[timer.kind];
    if (timer.action !== "state") keys.onDue(timer);
    else if (owner) inventory.enter(owner, timer.id, timer.detail, timer.due_ms);
  });

  const faults = createFaults(random);
  const journal = createJournal(randomBytes);
  const isNew = loadClock(database, real) === undefined;
  const adminKey = database.transaction(() => ensureAdminKey(service, options.adminKey));
  const save = () => saveClock(database, clock.state(), real);
  const settled = () => {
    limits.clear();
    changes.clear();
    timers.reload();
    ensureAdminKey(service, adminKey);
    save();
    scheduler.wake();
  };
  const control = createControl({
    ...{ service, faults, journal, outbox, saveClock: save, restored: settled },
    reset: () => {
      database.transaction(() => {
        emptyTables(database);
        outbox.clear();
      });
      clock.restore({ nowMs: real.wallMs(), rate: 1 });
      faults.set([]);
      settled();
      if (options.seed) plant(control, options.seed);
      journal.clear();
    },
  });
  if (isNew && options.seed) plant(control, options.seed);
  save();
  scheduler.wake();
  return {
    service,
    api: createApi(service, faults, journal),
    control,
    adminKey,
    stop: () => {
      scheduler.stop();
      sender.stop();
      save();
      database.close();
    },
  };
}

/** Fields that are looked up by value: references that restrict a deletion, and filters. */
function indexFields(database: Database, contract: Contract): void {
  for (const resource of Object.values(contract.resources)) {
    for (const [name, field] of Object.entries(resource.definition.fields)) {
      const looked = field.restricts === true || field.filter !== undefined;
      if (looked) indexField(database, resource.definition.name, wire(resource, name));
    }
  }
}
