/** A service, which is a real emulator, and engines on it: processes that can be killed. */
import { randomBytes, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dispatcher } from "undici";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../emulator";
import type { Clock } from "../../provider/client/clock";
import { ClientCore } from "../../provider/client";
import { readConfiguration } from "../../provider/client/settings/read";
import { systemInjectables } from "../../provider/client/settings/system";
import type { Journal } from "../../provider/engine";
import { Engine, type EngineParts, type IntentEntry, type Processes } from "../../provider/engine";
import { plainVoice, sentence, type Message } from "../../provider/messages";
import { atEnd, folder } from "./folder";

export { atEnd, folder };

/** Processes of one machine: all are alive until a test kills them. */
class FakeProcesses {
  private count = 0;
  private readonly dead = new Set<string>();

  start(): string {
    this.count += 1;
    return `${this.count}-start`;
  }
  kill(owner: string): void {
    this.dead.add(owner);
  }
  isAlive(owner: string): boolean {
    return !this.dead.has(owner);
  }
}

export interface EngineGiven {
  /** Default: the folder that all engines on the service share. */
  readonly intents?: string;
  readonly apiKey?: string;
  /** Default: the one that this user has on this machine; null where it can't be kept. */
  readonly userKey?: Buffer | null | undefined;
  readonly profile?: unknown;
  readonly options?: EngineParts["options"];
  readonly clock?: Clock;
  /** Another address of the service; default the emulator's own. */
  readonly baseUrl?: string;
  /** What sends its requests, wherever that address is. */
  readonly dispatcher?: Dispatcher;
  readonly places?: EngineParts["places"];
  /** The same at its former address; default: one without any. */
  readonly formerIntents?: string;
  /** The host's process, where it plans and applies in different ones. */
  readonly host?: string;
}

/** An engine in a separate process. */
export type Run = ReturnType<Service["engine"]>;

/** Lists show everything at once: most tests do not wait. */
const AT_ONCE = { settleWindowMs: 0 };

/** A running service, and the folder of one user's intents. */
export class Service {
  readonly intents = folder();
  readonly processes = new FakeProcesses();
  readonly userKey = randomBytes(32);

  constructor(readonly emulator: Emulator) {}

  engine(given: EngineGiven = {}) {
    const { emulator, intents, processes } = this;
    const { apiKey = emulator.adminKey, profile = AT_ONCE } = given;
    const { baseUrl = emulator.baseUrl } = given;
    const configuration = readConfiguration({ given: { apiKey, baseUrl, profile } });
    const injectables = { ...systemInjectables(), dispatcher: given.dispatcher };
    const core = new ClientCore(configuration, injectables);
    const self = processes.start();
    /** Of the engine about itself. */
    const warnings: Message[] = [];
    const engine = new Engine({
      core,
      clock: given.clock ?? injectables.clock,
      apiKey: configuration.apiKey,
      userKey: async () =>
        (given.userKey === undefined ? this.userKey : given.userKey) ?? undefined,
      options: { sameName: "allow", readMaxAgeMs: 0, ...given.options },
      intentsAt: (at) =>
        at === core.account.baseUrl
          ? (given.intents ?? intents)
          : (given.formerIntents ?? join(intents, "former")),
      ...(given.places !== undefined && { places: given.places }),
      ...(given.host !== undefined && { host: given.host }),
      processes: { self, isAlive: (owner) => processes.isAlive(owner) },
      uuid: randomUUID,
      random: randomBytes,
      warn: (message) => warnings.push(message),
    });
    const end = () => core.close().catch(() => undefined); // Some tests close it themselves.
    atEnd(end);
    return {
      service: this as Service,
      emulator,
      engine,
      warnings,
      /** Ends the process at once: what it was working on stays in its files. */
      kill: async (): Promise<void> => {
        processes.kill(self);
        await end();
      },
    };
  }

  /** The folder of intents as this user's processes see it. */
  place(processes: Processes): ConstructorParameters<typeof Journal>[0] {
    const { clock } = systemInjectables();
    return { folder: this.intents, processes, clock, secrets: async () => [this.userKey] };
  }

  /** What the folder of intents holds now. */
  entries(folder = this.intents): IntentEntry[] {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as IntentEntry);
  }
}

/** Starts a service, as assumed or as the options say; it ends with the test. */
export async function given(options: EmulatorOptions = {}): Promise<Service> {
  const emulator = await startEmulator({ provisionMs: 0, ...options });
  atEnd(() => emulator.close());
  return new Service(emulator);
}

export const textOf = (messages: readonly Message[]): string =>
  messages.map((message) => sentence(plainVoice, message)).join("\n");
