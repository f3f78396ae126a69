/** The initial state: the first admin key, and the contents of a seed file. */
import { encodeBody } from "../provider/contract";
import { seedSchema, type Seed } from "./control/schema";
import { read, type Control } from "./control/control";
import { handleOf } from "./keys/secret";
import type { Service } from "./service/service";
import { SET_SETTING } from "./store/settings";

const ADMIN_KEY_SETTING = "admin_key_id";

/**
 * Makes sure that there is an admin key with a known value, and answers the value. A state from an
 * earlier run keeps its key but gets a new secret for it, unless the secret is `fixed`.
 */
export function ensureAdminKey(service: Service, fixed: string | undefined): string {
  const { database, keys, objects, contract, settings, clock } = service;
  if (fixed !== undefined) {
    const known = database.one("SELECT 1 FROM secrets WHERE handle = ?", handleOf(fixed));
    if (known) return fixed;
  }
  const kind = { environment: "test", keyClass: settings.keyClass, value: fixed } as const;
  const last = database.one<{ value: string }>(
    "SELECT value FROM settings WHERE name = ?",
    ADMIN_KEY_SETTING,
  )?.value;
  if (last !== undefined && objects.get(contract.resources.api_key.definition.name, last)) {
    return keys.renew(last, kind);
  }
  const admin = { name: "admin", permissions: ["admin"] };
  const fields = encodeBody(contract.resources.api_key, admin);
  const { record, value } = keys.create(fields, kind, clock.nowMs());
  database.run(SET_SETTING, ADMIN_KEY_SETTING, String(record["id"]));
  return value;
}

/** Creates the objects and keys of a seed, in its order. */
export function plant(control: Control, seed: Seed): void {
  const { objects, keys } = read("seed", seedSchema, seed);
  for (const [kind, records] of Object.entries(objects)) control.createObjects(kind, records);
  for (const key of keys) control.createKey(key);
}
