/** Objects and keys out of band: as somebody else, the dashboard or a seed would make them. */
import { encodeBody, fieldsMerged, isRecord, parseApiKey } from "../../provider/contract";
import type { ResolvedResource } from "../../provider/contract";
import { pathText, type Path } from "../../provider/messages";
import { invalid, ServiceError } from "../http/errors";
import { checkReferences, checkRecord } from "../service/fields";
import { existing, isKey } from "../service/inventory";
import type { Service } from "../service/service";
import type { WireRecord } from "../store/records";
import { newKeySchema, newObjectsSchema, objectChangeSchema, read } from "./schema";
import type { NewKeyInput } from "./schema";

/** A new key. Its value is in this answer only. */
export type CreatedKey = WireRecord & { readonly id: string; readonly value: string };

/** The resource of a kind, by its name or its plural. */
export function resourceOf({ contract }: Service, kind: string): ResolvedResource {
  const resource = Object.values<ResolvedResource>(contract.resources).find(
    ({ definition }) => definition.name === kind || definition.plural === kind,
  );
  if (resource) return resource;
  const known = Object.keys(contract.resources).join(", ");
  throw new ServiceError("not_found", `kind ${kind} does not exist; use one of ${known}`);
}

/** Creates objects; those that the service could not have need `"odd": true`. */
export function createObjects(
  service: Service,
  resource: ResolvedResource,
  input: WireRecord | readonly WireRecord[],
): WireRecord[] {
  const records = read("objects", newObjectsSchema, input);
  checkExact(records);
  const { inventory, clock } = service;
  return (Array.isArray(records) ? records : [records]).map((record) => {
    if (isKey(resource)) return createKey(service, record);
    const { fields, isOdd } = oddness(record);
    if (!isOdd) {
      checkRecord(resource, fields);
      checkReferences(service, resource, fields);
    }
    return inventory.create(resource, fields, { atMs: clock.nowMs() });
  });
}

/** Changes an object, outputs included; what the service could not answer needs `"odd": true`. */
export function changeObject(
  service: Service,
  resource: ResolvedResource,
  id: string,
  input: WireRecord,
): WireRecord {
  const patch = read("object", objectChangeSchema, input);
  checkExact(patch);
  const { fields, isOdd } = oddness(patch);
  const { inventory, keys, clock } = service;
  const before = existing(service, resource, id);
  if ("id" in fields && fields["id"] !== id) throw invalid("id", "cannot be changed");
  const record = fieldsMerged(before, fields);
  if (!isOdd) {
    checkRecord(resource, record, before);
    checkReferences(service, resource, fields);
  }
  inventory.change(resource, id, record, clock.nowMs());
  if (isKey(resource)) keys.plan(id, clock.nowMs());
  return record;
}

/** Removes an object, whatever refers to it. */
export function removeObject(service: Service, resource: ResolvedResource, id: string): void {
  existing(service, resource, id);
  service.inventory.remove(resource, id, service.clock.nowMs());
  if (isKey(resource)) service.keys.forget(id);
}

export function createKey(service: Service, input: NewKeyInput = {}): CreatedKey {
  const {
    environment: asked,
    key_class,
    value: fixed,
    ...fields
  } = read("key", newKeySchema, input);
  const { contract, settings, keys, clock } = service;
  const { api_key } = contract.resources;
  const body = encodeBody(api_key, fields);
  checkExact(body);
  checkRecord(api_key, body);
  const own = fixed === undefined ? undefined : parseApiKey(fixed)?.environment;
  if (asked !== undefined && own !== undefined && asked !== own) {
    throw invalid("environment", `is ${asked}, and the value is a ${own} key`);
  }
  const environment = own ?? asked ?? keys.environment;
  const kind = { environment, keyClass: key_class ?? settings.keyClass, value: fixed };
  const { record, value } = keys.create(body, kind, clock.nowMs());
  return { ...record, id: String(record["id"]), value };
}

function oddness(record: WireRecord): { fields: WireRecord; isOdd: boolean } {
  const { odd, ...fields } = record;
  return typeof odd === "boolean" ? { fields, isOdd: odd } : { fields: record, isOdd: false };
}

/** A whole number of 2^53 or more has lost digits by the time it is here. */
function checkExact(value: unknown, path: Path = []): void {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const lost = "is a whole number beyond 2^53, which JSON does not keep exactly; use a string";
    throw invalid(pathText(path), lost);
  }
  if (Array.isArray(value)) value.forEach((each, index) => checkExact(each, [...path, index]));
  else if (isRecord(value)) {
    for (const [key, inner] of Object.entries(value)) checkExact(inner, [...path, key]);
  }
}
