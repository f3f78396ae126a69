/** Create, list, get, update and delete for any resource of the contract. */
import { allows, type ResolvedResource } from "../../provider/contract";
import { effectOf, type Effect } from "../faults/effects";
import { distortedPage, normalised } from "../faults/distortions";
import type { Outcome } from "../http/answer";
import { invalid, ServiceError } from "../http/errors";
import { addressAllowed } from "../keys/allow-list";
import { expiresMsOf, rightsOf, type Caller, type KeyRights } from "../keys/callers";
import { readPage } from "../store/list";
import type { WireRecord } from "../store/records";
import { checkReferences, fieldsAfter, fieldsOfNew } from "./fields";
import { existing, fieldsOf, isKey, wire, type Provisioning } from "./inventory";
import { listQueryOf } from "./list-query";
import type { Match } from "./routes";
import type { Service } from "./service";

/** One request to an operation that was admitted. */
export interface Call {
  readonly match: Match;
  readonly caller: Caller;
  readonly query: URLSearchParams;
  readonly body: WireRecord;
  readonly effects: readonly Effect[];
  readonly remoteAddress: string;
  readonly nowMs: number;
}

/** Assumption: Locking oneself out. @param after what it could do then; undefined: it is deleted */
function checkOwnKey({ match, caller, remoteAddress }: Call, after?: KeyRights): void {
  if (match.id !== caller.keyId) return;
  const { scope } = match.operation;
  const isUsable =
    after !== undefined &&
    (scope === undefined || allows(after.permissions, scope)) &&
    addressAllowed(remoteAddress, after.allowList);
  if (isUsable) return;
  const reason = "would lock itself out; use another key for that";
  throw new ServiceError("conflict", `API key ${match.id} ${reason}`, {
    details: { field: "id", reason },
  });
}

type Run = (service: Service, call: Call) => Outcome;

function answer(record: WireRecord, status = 200): Outcome {
  const data = JSON.stringify(record);
  return { status, data, records: [data] };
}

/** Assumption: Deleting what others use. */
function checkUnused(service: Service, kind: string, id: string): void {
  for (const resource of Object.values<ResolvedResource>(service.contract.resources)) {
    const { name: other, plural } = resource.definition;
    for (const [key, { references, restricts }] of fieldsOf(resource)) {
      if (references !== kind || !restricts) continue;
      const { ids, count } = service.objects.holding(other, key, id);
      if (count === 0) continue;
      const some = count > ids.length ? `${ids.join(", ")} and more` : ids.join(", ");
      const reason = `is still used by ${count} ${count === 1 ? other : plural}: ${some}`;
      throw new ServiceError("conflict", `${kind} ${id} ${reason}`, {
        details: { field: "id", reason },
      });
    }
  }
}

/** Assumption: Expiry in the past. */
function checkEnd(resource: ResolvedResource, record: WireRecord, nowMs: number): void {
  const endMs = expiresMsOf(resource, record);
  if (endMs !== undefined && endMs <= nowMs) throw invalid(wire(resource, "expires_at"), "is past");
}

const create: Run = (service, { match, caller, body, effects, nowMs }) => {
  const { resource } = match.operation;
  const fields = normalised(fieldsOfNew(resource, body), effects);
  checkReferences(service, resource, fields);
  if (isKey(resource)) {
    checkEnd(resource, fields, nowMs);
    const { environment } = caller;
    const kind = { environment, keyClass: service.settings.keyClass };
    const { record, value } = service.keys.create(fields, kind, nowMs);
    return answer({ ...record, [wire(resource, "value")]: value }, 201);
  }
  const provisioning = provisioningOf(service, effectOf(effects, "provision"));
  return answer(service.inventory.create(resource, fields, { atMs: nowMs, provisioning }), 201);
};

type Slow = Extract<Effect, { readonly type: "provision" }>;

const provisioningOf = ({ settings }: Service, slow: Slow | undefined): Provisioning => ({
  outcome: slow?.outcome ?? "ready",
  ms: slow?.ms ?? settings.provisionMs,
});

const list: Run = (service, { match, query, effects }) => {
  const { resource } = match.operation;
  const { page, perPage, sort, descending, conditions } = listQueryOf(resource, query);
  const request = {
    kind: resource.definition.name,
    conditions,
    sort,
    descending,
    offset: (page - 1) * perPage,
    limit: perPage,
    createdAt: wire(resource, "created_at"),
  };
  const distorted = distortedPage(service, request, { page, perPage }, effects);
  const { bodies, count } = distorted?.result ?? readPage(service.database, request);
  return {
    status: 200,
    data: `[${bodies.join(",")}]`,
    records: bodies,
    page: { page, perPage: distorted?.perPage ?? perPage, count, ...distorted?.shown },
  };
};

const get: Run = (service, { match }) =>
  answer(existing(service, match.operation.resource, match.id));

const update: Run = (service, call) => {
  const { match, body, effects, nowMs } = call;
  const { resource } = match.operation;
  const before = existing(service, resource, match.id);
  const record = normalised(fieldsAfter(resource, before, body, resource.updateMethod), effects);
  checkReferences(service, resource, record, before);
  const end = wire(resource, "expires_at");
  if (isKey(resource) && record[end] !== before[end]) checkEnd(resource, record, nowMs);
  if (isKey(resource)) checkOwnKey(call, rightsOf(resource, record));
  service.inventory.change(resource, match.id, record, nowMs);
  if (isKey(resource)) service.keys.plan(match.id, nowMs);
  const slow = effectOf(effects, "provision");
  if (slow === undefined) return answer(record);
  const provisioning = provisioningOf(service, slow);
  return answer(service.inventory.restart(resource, record, { atMs: nowMs, provisioning }));
};

const remove: Run = (service, call) => {
  const { match, nowMs } = call;
  const { resource } = match.operation;
  existing(service, resource, match.id);
  if (isKey(resource)) checkOwnKey(call);
  checkUnused(service, resource.definition.name, match.id);
  service.inventory.remove(resource, match.id, nowMs);
  if (isKey(resource)) service.keys.forget(match.id);
  return answer({ id: match.id });
};

const rotate: Run = (service, { match, nowMs }) => {
  const { oldId, oldExpiresAt, replacement } = service.keys.rotate(match.id, nowMs);
  const createdAt = replacement.record[wire(match.operation.resource, "created_at")];
  const data = JSON.stringify({
    old_key: { id: oldId, expires_at: oldExpiresAt },
    new_key: { id: replacement.record["id"], value: replacement.value, created_at: createdAt },
  });
  return { status: 200, data };
};

/** The implementation of each action but `auth_test`, which needs the limits: see perform.ts. */
export const runs = { create, list, get, update, delete: remove, rotate } as const;
