/** The entry of `erphost/emulator`: an emulator of the whole service, in this process. */
import { InvalidInput, resolveContract, type Contract } from "../provider/contract";
import { build } from "./build";
import type { Control } from "./control/control";
import { controlRoutes } from "./control/routes";
import { BASE_PATH, createApp, listen } from "./http/server";
import { ADMIN_KEY_LENGTH_MIN, DEFAULTS, type EmulatorOptions } from "./options";

export type { Control, CreatedKey, NewKeyInput } from "./control/control";
export type { FaultInput } from "./faults/effects";
export type { JournalEntry } from "./journal";
export type { Seed, Snapshot } from "./control/schema";
export type { EmulatorOptions } from "./options";

/** A running emulator. All of `/_emulator` can be called as functions on it. */
export interface Emulator extends Control {
  /** `http://127.0.0.1:4010`: the dashboard and `/_emulator`. */
  readonly url: string;
  /** The service's base address; ends in `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Value of the first admin key. */
  readonly adminKey: string;
  /** Moves the clock forward: milliseconds, or a text such as `90d`. */
  advance(by: number | string): void;
  /** Ends open connections at once. Calling it again does nothing. */
  close(): Promise<void>;
}

/**
 * Starts an emulator. It is ready when the promise is fulfilled.
 * @throws InvalidInput for options or a seed that do not fit; Node's own error for a taken port.
 */
export function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return startWith(options, resolveContract(options.profile));
}

/** The same for a contract of one's own; for tests of what is derived. */
export async function startWith(options: EmulatorOptions, contract: Contract): Promise<Emulator> {
  checkAdminKey(options.adminKey);
  const host = options.host ?? DEFAULTS.host;
  const { api, control, service, adminKey, stop } = build(options, contract);
  const app = createApp(api, controlRoutes(control, service, host));
  const listening = await listen(app, host, options.port ?? DEFAULTS.port).catch(
    (error: unknown) => {
      stop();
      throw error;
    },
  );
  const url = `http://${nameFor(host)}:${listening.port}`;
  let closing: Promise<void> | undefined;
  return {
    ...control,
    url,
    baseUrl: `${url}${BASE_PATH}`,
    port: listening.port,
    adminKey,
    advance: (by) => void control.setClock({ advance: by }),
    close: () => (closing ??= listening.close().finally(stop)),
  };
}

// A request can't be sent to "every address", only to one.
const nameFor = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
};

function checkAdminKey(key: string | undefined): void {
  if (key === undefined || (key.length >= ADMIN_KEY_LENGTH_MIN && /^\S+$/.test(key))) return;
  const message = `must have at least ${ADMIN_KEY_LENGTH_MIN} characters and no spaces`;
  throw new InvalidInput("emulator", [{ path: ["adminKey"], message }], "");
}
