/** Engines on a real emulator: each `open` is a process of its own, that can die. */
import { afterEach } from "@jest/globals";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../emulator";
import type { Clock } from "../../provider/client/clock";
import { readConfiguration } from "../../provider/client/settings/read";
import { createCore } from "../../provider/client/core";
import { systemInjectables } from "../../provider/client/settings/system";
import { Engine, type EngineParts, type IntentEntry } from "../../provider/engine";
import { kinds, type Kind } from "../../provider/resources";

const ends: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Runs when the test is over. */
const atEnd = (end: () => Promise<unknown> | void): void => void ends.push(end);

export async function started(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ provisionMs: 0, ...options });
  atEnd(() => emulator.close());
  return emulator;
}

/** A folder that goes when the test is over. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "erphost-engine-"));
  atEnd(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Kinds by name, for tests. */
export function kind(name: string): Kind {
  const found = kinds[name];
  if (!found) throw new Error(`no kind ${name}`);
  return found;
}

/** Which processes there are: all live until a test ends them. */
export class Population {
  private count = 0;
  private readonly dead = new Set<string>();

  born(): string {
    this.count += 1;
    return `${this.count}-start`;
  }
  die(owner: string): void {
    this.dead.add(owner);
  }
  isAlive(owner: string): boolean {
    return !this.dead.has(owner);
  }
}

const { clock: systemClock } = systemInjectables();

/** The system's clock, with a wall that is wrong by so much. */
export const clockOff = (offsetMs: number): Clock => ({
  ...systemClock,
  wallMs: () => systemClock.wallMs() + offsetMs,
});

/** A clock on which all waits are short. */
export const hurried: Clock = {
  ...systemClock,
  after: (ms, work) => systemClock.after(ms / 100, work),
};

export interface Opening {
  readonly emulator: Emulator;
  /** Default: a folder of its own. */
  readonly intents?: string;
  readonly population?: Population;
  readonly apiKey?: string;
  readonly profile?: unknown;
  readonly options?: EngineParts["options"];
  readonly clock?: Clock;
}

/** An engine in a process of its own. */
export interface Opened {
  readonly engine: Engine;
  readonly warnings: string[];
  /** Ends it without a word: what it had in hand stays in its files. */
  kill(): Promise<void>;
}

/** Settles at once: these tests do not lag. */
const QUICK = { settleWindowMs: 0 };

export function open(opening: Opening): Opened {
  const { emulator, population = new Population() } = opening;
  const configuration = readConfiguration({
    given: {
      apiKey: opening.apiKey ?? emulator.adminKey,
      baseUrl: emulator.baseUrl,
      profile: opening.profile ?? QUICK,
    },
  });
  const injectables = systemInjectables();
  const core = createCore(configuration, injectables);
  const self = population.born();
  const warnings: string[] = [];
  const engine = new Engine({
    core,
    clock: opening.clock ?? injectables.clock,
    apiKey: configuration.apiKey,
    options: { sameName: "allow", readMaxAgeMs: 0, ...opening.options },
    intentsFolder: opening.intents ?? folder(),
    processes: { self, isAlive: (owner) => population.isAlive(owner) },
    uuid: () => randomUUID(),
    nonce: () => randomBytes(12),
    warn: (message) => warnings.push(message),
  });
  // Ended by the engine itself in some tests.
  const end = () => core.close().catch(() => undefined);
  atEnd(end);
  return {
    engine,
    warnings,
    kill: async () => {
      population.die(self);
      await end();
    },
  };
}

/** What the intents folder holds now. */
export const entriesOf = (place: string): IntentEntry[] =>
  readdirSync(place)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(place, name), "utf8")) as IntentEntry);

/** The code of what a promise fails with; undefined where it does not. */
export const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error as { code?: unknown }).code ?? error,
  );

/** What a promise fails with. */
export const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error as Error,
  );

/** Creates, `POST`s and the like, as the journal saw them. */
export const callsOf = (emulator: Emulator, method: string, path: RegExp): number =>
  emulator.journal().filter((entry) => entry.method === method && path.test(entry.path)).length;
