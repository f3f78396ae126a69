/** The entry of `erphost/emulator`: an emulator of the whole service, in this process. */
import {
  InvalidInput,
  issueAt,
  openApiDocument,
  parseApiKey,
  resolveContract,
  type Contract,
} from "../provider/contract";
import { EmulatorControl, type Control } from "./control/control";
import { controlRoutes } from "./control/routes";
import { EmulatorCore } from "./core";
import { BASE_PATH, createApp, listen, type Listening } from "./http/server";
import { ADMIN_KEY_LENGTH_MIN, DEFAULTS, type EmulatorOptions } from "./options";

export type { Control, CreatedKey, NewKeyInput } from "./control/control";
export type { FaultInput } from "./faults/effects";
export type { JournalEntry } from "./journal";
export type { Seed, Snapshot } from "./control/schema";
export type { EmulatorOptions } from "./options";

/** A running emulator. Every call of `/_emulator` is a method as well. */
export interface Emulator extends Control {
  /** `http://127.0.0.1:4010`: the dashboard and `/_emulator`. */
  readonly url: string;
  /** The base address of the service; ends in `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Value of the first admin key. */
  readonly adminKey: string;
  /** Moves the clock forward by milliseconds, or by a duration such as `90d`. */
  advance(by: number | string): void;
  /** Stops at once, open connections included. Calling it again does nothing. */
  close(): Promise<void>;
}

/**
 * Starts an emulator, which is ready when the promise is fulfilled.
 * @throws InvalidInput for invalid options or seeds; the error of Node.js where the port is in use.
 */
export function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return startWith(options, resolveContract(options.profile));
}

/** The same for any contract; for tests of what is derived from it. */
export async function startWith(options: EmulatorOptions, contract: Contract): Promise<Emulator> {
  checkAdminKey(options.adminKey);
  const host = options.host ?? DEFAULTS.host;
  const core = new EmulatorCore(options, contract);
  const { strict } = core.service.settings;
  const app = createApp(core.api, controlRoutes(core.control, core.service, host), (baseUrl) =>
    openApiDocument(contract, { baseUrl, strict }),
  );
  try {
    const listening = await listen(app, host, options.port ?? DEFAULTS.port);
    const url = `http://${nameFor(host)}:${listening.port}`;
    return bindMethods(new RunningEmulator(core, listening, url));
  } catch (error) {
    core.stop();
    throw error;
  }
}

class RunningEmulator extends EmulatorControl implements Emulator {
  readonly baseUrl: string;
  readonly port: number;
  readonly adminKey: string;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly core: EmulatorCore,
    private readonly listening: Listening,
    readonly url: string,
  ) {
    super(core.controlParts);
    this.baseUrl = `${url}${BASE_PATH}`;
    this.port = listening.port;
    this.adminKey = core.adminKey;
  }

  advance(by: number | string): void {
    this.setClock({ advance: by });
  }

  close(): Promise<void> {
    this.closing ??= this.listening.close().finally(() => this.core.stop());
    return this.closing;
  }
}

/** Methods keep working when a program takes them off: `const { close } = await startEmulator()`. */
function bindMethods<T extends object>(target: T): T {
  const levels: object[] = [];
  for (
    let level: unknown = Object.getPrototypeOf(target);
    typeof level === "object" && level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  ) {
    levels.push(level);
  }
  for (const level of levels) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (name === "constructor" || typeof value !== "function" || Object.hasOwn(target, name)) {
        continue;
      }
      // Every method of a class takes its object as `this`.
      const bound = (value as (this: T) => unknown).bind(target);
      Object.defineProperty(target, name, { value: bound });
    }
  }
  return target;
}

// A request cannot be sent to "all addresses", only to one.
const nameFor = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
};

function checkAdminKey(key: string | undefined): void {
  if (key === undefined || (key.length >= ADMIN_KEY_LENGTH_MIN && parseApiKey(key))) return;
  const text = `must be a key such as acme_test_0123456789, of at least ${ADMIN_KEY_LENGTH_MIN} characters`;
  throw new InvalidInput("emulator", [issueAt(["adminKey"], "stated", { text })]);
}
