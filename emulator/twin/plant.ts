/** Fills an emulator with the copy of an account, and keeps whose copy it is. */
import { InvalidInput, issueAt } from "../../provider/contract";
import { resourceOf } from "../control/objects";
import { read } from "../control/schema";
import { isKey, wire } from "../service/inventory";
import type { Service } from "../service/service";
import type { Database } from "../store/database";
import { keepSetting, setting } from "../store/settings";
import { twinSchema, type Twin, type TwinKey } from "./schema";

const SETTING = "twin_of";

/** @public Loaded by name. @throws InvalidInput where it is not the copy of an account */
export const readTwinCopy = (value: unknown): Twin => read("twin", twinSchema, value);

/** Whose copy the state is; undefined for a plain emulator. */
export function twinIn(database: Database): Twin["of"] | undefined {
  const text = setting(database, SETTING);
  return text === undefined ? undefined : twinSchema.shape.of.parse(JSON.parse(text));
}

/** The state is nobody's copy any more. */
export const forgetTwin = (database: Database): void =>
  void database.run("DELETE FROM settings WHERE name = ?", SETTING);

/**
 * Every object as it was shown, whatever the contract says of its fields; to be called in a
 * transaction. Keys get secrets of their own: those of `before`, by id, else new ones.
 */
export function plantTwin(
  service: Service,
  twin: Twin,
  before: readonly TwinKey[] = [],
): TwinKey[] {
  const { database, inventory, clock } = service;
  keepSetting(database, SETTING, JSON.stringify(twin.of));
  const keys: TwinKey[] = [];
  for (const [kind, records] of Object.entries(twin.objects)) {
    const resource = resourceOf(service, kind);
    for (const [index, record] of records.entries()) {
      const { id } = record;
      if (typeof id !== "string" || id === "") {
        throw new InvalidInput("twin", [issueAt(["objects", kind, index, "id"], "required", {})]);
      }
      if (!isKey(resource)) {
        inventory.create(resource, record, { atMs: clock.nowMs() });
        continue;
      }
      const { environment } = twin.of;
      const value = before.find((key) => key.id === id)?.value;
      const { keyClass } = service.settings;
      // The service shows no value in a list. If one did, it would be the account's own.
      const { [wire(resource, "value")]: _, ...shown } = record;
      const made = service.keys.create(shown, { environment, keyClass, value }, clock.nowMs());
      const name = record[wire(resource, "name")];
      keys.push({ id, name: typeof name === "string" ? name : "", value: made.value });
    }
    if (isKey(resource)) markRotated(service, records);
  }
  return keys;
}

/** Of each line of keys, all but the newest were rotated: they end with their grace period. */
function markRotated(service: Service, records: Twin["objects"][string]): void {
  const { contract, database, keys, clock } = service;
  const nameOf = (field: string): string => wire(contract.resources.api_key, field);
  const lineage = nameOf("lineage_id");
  const createdAt = nameOf("created_at");
  const expiresAt = nameOf("expires_at");
  const newest = new Map<unknown, Twin["objects"][string][number]>();
  for (const record of records) {
    const line = record[lineage] ?? record["id"];
    const other = newest.get(line);
    const isNewer = Date.parse(String(record[createdAt])) >= Date.parse(String(other?.[createdAt]));
    if (!other || isNewer) newest.set(line, record);
  }
  const last = new Set([...newest.values()].map((record) => record["id"]));
  for (const { id, [expiresAt]: end } of records) {
    if (last.has(id) || typeof end !== "string") continue;
    database.run("UPDATE secrets SET rotated = 1 WHERE key_id = ?", String(id));
    keys.plan(String(id), clock.nowMs());
  }
}
