/** What a file's tests open: each is closed or removed when all of them are over, the last first. */
import { afterAll } from "@jest/globals";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../emulator";

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Has something closed or removed at the end. @returns it */
export function opened<T extends { close(): unknown } | { remove(): unknown }>(thing: T): T {
  ends.push(() => ("close" in thing ? thing.close() : thing.remove()));
  return thing;
}

/** A service until the end; what it is asked to make is there at once. */
export const openedEmulator = async (options: EmulatorOptions = {}): Promise<Emulator> =>
  opened(await startEmulator({ provisionMs: 0, ...options }));
