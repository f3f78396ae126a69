/** Fills an emulator with the copy of an account, and keeps whose copy it is. */
import { existsSync } from "node:fs";
import { InvalidInput, issueAt } from "../../provider/contract";
import { resourceOf } from "../control/objects";
import { read } from "../control/schema";
import { expiresMsOf } from "../keys/callers";
import { isKey, wire } from "../service/inventory";
import type { Service } from "../service/service";
import { DataFileError, assertFolder } from "../files";
import { checkNeighbours, refusalOf } from "../store/data-file";
import { Database } from "../store/database";
import { isEmpty, keepSetting, setting } from "../store/settings";
import { twinSchema, type Twin, type TwinKey } from "./schema";

const SETTING = "twin_of";

/** @public Loaded by name. @throws InvalidInput where it is not the copy of an account */
export const readTwinCopy = (value: unknown): Twin => read("twin", twinSchema, value);

/** Whose copy a state is, and what it was read with: a file of an older release does not say that. */
export type CopyOf = Pick<Twin, "of"> & Partial<Pick<Twin, "limits" | "profile">>;
const { shape } = twinSchema;
const kept = shape.of.extend({ limits: shape.limits.optional(), profile: shape.profile });

/** Undefined for a plain emulator. */
export function twinIn(database: Database): CopyOf | undefined {
  const text = setting(database, SETTING);
  if (text === undefined) return undefined;
  const { limits, profile, ...of } = kept.parse(JSON.parse(text));
  return { of, ...(limits && { limits }), profile };
}

/**
 * @public Loaded by name. What a data file says, before anything is started on it.
 * @throws DataFileError where it cannot be used, or holds a state and is to hold a copy
 */
export function twinInFile(file: string, isForCopy: boolean): CopyOf | undefined {
  // One in a folder that hides it is refused as well.
  if (!existsSync(file)) {
    try {
      assertFolder(file);
      return void checkNeighbours(file);
    } catch (error) {
      throw refusalOf(file, error);
    }
  }
  const database = new Database(file);
  try {
    if (isForCopy && !isEmpty(database)) throw heldAlready(file);
    return twinIn(database);
  } finally {
    database.close();
  }
}

export const heldAlready = (file: string): DataFileError =>
  new DataFileError(
    file,
    "holds a state already",
    "Leave the copy out to continue with it, or use another file.",
  );

/**
 * Every object as it was shown, whatever the contract says of its fields; one that was not ready yet
 * becomes so as late as a new one. To be called in a transaction. Keys get secrets of their own: those of
 * `before`, by id, else new ones.
 */
export function plantTwin(
  service: Service,
  twin: Twin,
  before: readonly TwinKey[] = [],
): TwinKey[] {
  const { database, inventory, clock } = service;
  const { provisionMs, keyClass } = service.settings;
  const { of, limits, profile } = twin;
  keepSetting(database, SETTING, JSON.stringify({ ...of, limits, profile }));
  const keys: TwinKey[] = [];
  for (const [kind, records] of Object.entries(twin.objects)) {
    const resource = resourceOf(service, kind);
    for (const [index, record] of records.entries()) {
      const { id } = record;
      if (typeof id !== "string" || id === "") {
        throw new InvalidInput("twin", [issueAt(["objects", kind, index, "id"], "required", {})]);
      }
      if (!isKey(resource)) {
        const atMs = clock.nowMs();
        const { initial, ready = [], other = [] } = resource.states ?? {};
        const status = String(record[wire(resource, "status")]);
        // The contract does not know each state that a service may pass through: `installing`.
        const isPassing = status === initial || /ing$/.test(status);
        const isUnready = isPassing && ![...ready, ...other].includes(status);
        const provisioning = { outcome: "ready", ms: isUnready ? provisionMs : 0 } as const;
        const made = inventory.create(resource, record, { atMs, provisioning });
        if (isUnready && provisionMs === 0) inventory.restart(resource, made, { atMs });
        continue;
      }
      const { environment } = of;
      const value = before.find((key) => key.id === id)?.value;
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
  const newest = new Map<unknown, Twin["objects"][string][number]>();
  for (const record of records) {
    const line = record[lineage] ?? record["id"];
    const other = newest.get(line);
    const isNewer = Date.parse(String(record[createdAt])) >= Date.parse(String(other?.[createdAt]));
    if (!other || isNewer) newest.set(line, record);
  }
  const last = new Set([...newest.values()].map((record) => record["id"]));
  for (const record of records) {
    const id = String(record["id"]);
    if (last.has(id) || expiresMsOf(contract.resources.api_key, record) === undefined) continue;
    database.run("UPDATE secrets SET rotated = 1 WHERE key_id = ?", id);
    keys.plan(id, clock.nowMs());
  }
}
