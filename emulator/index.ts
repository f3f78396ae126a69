/** The entry of `erphost/emulator`: an emulator of the whole service, in this process. */
import "../provider/start/node";
import { openApiDocument, resolveContract, type Contract, type TwinOf } from "../provider/contract";
import type { Control } from "./control/control";
import { controlRoutes } from "./control/routes";
import { optionsSchema, read } from "./control/schema";
import { EmulatorCore } from "./core";
import { BASE_PATH, listen } from "./http/server";
import { DEFAULTS, type EmulatorOptions, type Opened } from "./options";

export type { Control } from "./control/control";
export type { CreatedKey } from "./control/objects";
export type { FaultInput } from "./faults/effects";
export type { CallCount, JournalEntry } from "./journal";
export type { Mail } from "./keys/mails";
export type { NewKeyInput, Seed, Snapshot } from "./control/schema";
export type { EmulatorOptions, Opened } from "./options";
export { DataFileError } from "./files";
export type { Twin, TwinKey } from "./twin/schema";

/** A running emulator. Every call of `/_emulator` is a method as well. */
export interface Emulator extends Control {
  /** `http://127.0.0.1:4010`: the dashboard and `/_emulator`. */
  readonly url: string;
  /** The base address of the service; ends in `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Value of the first admin key. */
  readonly adminKey: string;
  /** What the start found: the state of an earlier run, or none. */
  readonly opened: Opened;
  /** The account that it stands for; undefined for a plain emulator. */
  readonly twinOf: TwinOf | undefined;
  /** Moves the clock forward by milliseconds, or by a duration such as `90d`. */
  advance(by: number | string): void;
  /** Stops at once, open connections included. Calling it again does nothing. */
  close(): Promise<void>;
}

/**
 * Starts an emulator, which is ready when the promise is fulfilled.
 * @throws InvalidInput for invalid options or seeds; DataFileError where the data file cannot be
 *   used; the error of Node.js where the port is in use.
 */
export function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return startWith(options, resolveContract(options.profile));
}

/** The same for any contract; for tests of what is derived from it. @internal */
export async function startWith(options: EmulatorOptions, contract: Contract): Promise<Emulator> {
  read("emulator", optionsSchema, options);
  const host = options.host ?? DEFAULTS.host;
  const core = new EmulatorCore(options, contract);
  const { strict } = core.service.settings;
  const { api, control, service, feed } = core;
  const parts = {
    ...{ api, feed, control: controlRoutes({ control, service, feed, listeningOn: host }) },
    document: (baseUrl: string) => openApiDocument(contract, { baseUrl, strict }),
  };
  try {
    const { port, close } = await listen(parts, host, options.port ?? DEFAULTS.port);
    const url = `http://${nameFor(host)}:${port}`;
    const { adminKey, opened } = core;
    let closing: Promise<void> | undefined;
    // Its calls are those of the control, with where they are made.
    return Object.assign(control, {
      ...{ url, baseUrl: `${url}${BASE_PATH}`, port, adminKey, opened },
      twinOf: service.identity.twinOf,
      advance: (by: number | string): void => void control.setClock({ advance: by }),
      close: () => (closing ??= close().finally(() => core.stop())),
    });
  } catch (error) {
    core.stop();
    throw error;
  }
}

// A request cannot be sent to "all addresses", only to one.
const nameFor = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
};
