/** The initial state: the first admin key, and the contents of a seed file. */
import { createHmac } from "node:crypto";
import { canonicalJson, encodeBody, InvalidInput } from "../provider/contract";
import { parseApiKey, stated } from "../provider/contract";
import type { Control } from "./control/control";
import { read, seedSchema, type Seed } from "./control/schema";
import { detailsOf, ServiceError } from "./http/errors";
import { handleOf } from "./keys/secret";
import type { AdminKeyOrigin, SeedFate } from "./options";
import { checkExpiry } from "./service/authenticate";
import type { Service } from "./service/service";
import { keepSetting, setting } from "./store/settings";
import { seal, unseal } from "./store/vault";

const ADMIN_KEY_SETTING = "admin_key_id";
const ADMIN_SECRET_SETTING = "admin_key_sealed";
const SEED_SETTING = "seed_mark";
const PURPOSE = "admin key";

/** The first admin key: `given` as an option, `kept` from an earlier run, or `new`. */
export interface AdminKey {
  readonly value: string;
  readonly origin: AdminKeyOrigin;
}

/**
 * Makes sure that there is an admin key with a known value. A state from an earlier run keeps its
 * key and, sealed with the key in `FILE.key`, its value, unless another one is `fixed`.
 */
export function ensureAdminKey(
  service: Service,
  fileKey: Uint8Array,
  fixed: string | undefined,
): AdminKey {
  const { database, randomBytes } = service;
  const last = fixed === undefined ? keptSecret(service, fileKey) : undefined;
  if (last !== undefined) {
    service.keys.resemble(last);
    return { value: last, origin: "kept" };
  }
  const isKnown =
    fixed !== undefined &&
    database.one("SELECT 1 FROM secrets WHERE handle = ?", handleOf(fixed)) !== undefined;
  const value = isKnown ? fixed : issueAdminKey(service, fixed);
  service.keys.resemble(value);
  const sealed = seal(value, fileKey, PURPOSE, randomBytes);
  keepSetting(database, ADMIN_SECRET_SETTING, Buffer.from(sealed).toString("base64"));
  return { value, origin: fixed === undefined ? "new" : "given" };
}

/** The value of the last run; undefined where it cannot be read or is no longer valid. */
function keptSecret(service: Service, fileKey: Uint8Array): string | undefined {
  const sealed = setting(service.database, ADMIN_SECRET_SETTING);
  if (sealed === undefined) return undefined;
  const value = unseal(Buffer.from(sealed, "base64"), fileKey, PURPOSE);
  return value !== undefined && isValid(service, value) ? value : undefined;
}

/** Whether the service takes a key now. */
export function isValid({ identify, clock }: Service, value: string): boolean {
  try {
    checkExpiry(identify(value), clock.nowMs());
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function issueAdminKey(service: Service, fixed: string | undefined): string {
  const { database, keys, objects, contract, settings, clock, identity } = service;
  const given = fixed === undefined ? undefined : parseApiKey(fixed)?.environment;
  const environment = given ?? identity.twinOf?.environment ?? "test";
  const kind = { environment, keyClass: settings.keyClass, value: fixed };
  const last = setting(database, ADMIN_KEY_SETTING);
  if (last !== undefined && objects.get(contract.resources.api_key.definition.name, last)) {
    return keys.renew(last, kind);
  }
  const fields = encodeBody(contract.resources.api_key, { name: "admin", permissions: ["admin"] });
  const { record, value } = keys.create(fields, kind, clock.nowMs());
  keepSetting(database, ADMIN_KEY_SETTING, String(record["id"]));
  return value;
}

/** Creates the objects and keys of a seed, in its order; to be called in a transaction. */
export function plant(service: Service, control: Control, fileKey: Uint8Array, seed: Seed): void {
  const { objects, keys } = read("seed", seedSchema, seed);
  for (const [kind, records] of Object.entries(objects)) {
    records.forEach((record, index) =>
      at(["objects", kind, index], () => control.createObjects(kind, record)),
    );
  }
  keys.forEach((key, index) => at(["keys", index], () => control.createKey(key)));
  keepSetting(service.database, SEED_SETTING, markOf(fileKey, seed));
}

/** Says of a refusal where in the seed its reason is. */
function at(path: readonly (string | number)[], create: () => unknown): void {
  try {
    create();
  } catch (error) {
    if (error instanceof InvalidInput) {
      const issues = error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
      throw new InvalidInput("seed", issues);
    }
    if (!(error instanceof ServiceError)) throw error;
    const { field, reason } = detailsOf(error);
    const place = field === undefined ? path : [...path, field];
    throw stated("seed", place, reason ?? error.message);
  }
}

/** Whether a state that exists was planted with this seed. */
export function seedFate(service: Service, fileKey: Uint8Array, seed: Seed): SeedFate {
  return setting(service.database, SEED_SETTING) === markOf(fileKey, seed) ? "kept" : "changed";
}

// With a key, because a seed may hold secrets that could be guessed.
const markOf = (fileKey: Uint8Array, seed: Seed): string =>
  createHmac("sha256", fileKey).update(canonicalJson(seed)).digest("hex");
