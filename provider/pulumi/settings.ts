/** Stack configuration (`erphost:apiKey` and so on) as the engine's settings. */
import { settings } from "../settings";

/** Reads the settings through a getter of one key of the namespace `erphost`. */
export const settingsFrom = (
  get: (key: string) => string | undefined,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.keys(settings).map((name) => [name, get(name)]));
