/** What a file's tests open: each is closed or removed when all of them are over, the last first. */
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../emulator";
import { atEndOfFile } from "../../support/folder";

/** Has something closed or removed at the end. @returns it */
export function opened<T extends { close(): unknown } | { remove(): unknown }>(thing: T): T {
  atEndOfFile(() => ("close" in thing ? thing.close() : thing.remove()));
  return thing;
}

/** A service until the end; what it is asked to make is there at once. */
export const openedEmulator = async (options: EmulatorOptions = {}): Promise<Emulator> =>
  opened(await startEmulator({ provisionMs: 0, ...options }));
