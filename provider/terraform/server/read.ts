/** Reading, importing, moving and upgrading: everything that yields a state without a change. */
import { isRecord, resources } from "../../contract";
import { failure, warning } from "../diagnostics";
import { readObject, writeObject } from "../values/dynamic";
import type { ResourceModel } from "../schema/model";
import { IDENTITY, PROVIDER, TIMEOUTS } from "../names";
import { SCHEMA_VERSION } from "../schema/render";
import {
  identityOf,
  idOf,
  NAMELESS,
  objectOf,
  privateBytes,
  stateOf,
  UNREAD,
  valuesOf,
} from "../values/state";
import {
  SEVERITY_ERROR,
  type DynamicValue,
  type ImportRequest,
  type importResponse,
  type MoveRequest,
  type MoveResponse,
  type ReadRequest,
  type StateResponse,
  type UpgradeRequest,
  type upgradeResponse,
} from "../wire/messages";
import { barePrivate, foundAgain } from "./again";
import type { Session } from "./session";

type Answer<M> = M extends { readonly value?: infer T } ? NonNullable<T> : never;

export async function readResource(session: Session, request: ReadRequest): Promise<StateResponse> {
  const model = session.model(request.type_name);
  const current = readObject(request.current_state);
  if (current === null) return { new_state: writeObject(null), diagnostics: [] };
  try {
    const context = session.reading(identityOf(current));
    let own = request.private;
    if (own.equals(UNREAD)) {
      const found = await foundAgain(session, model, current, context);
      if (found) {
        const values = { ...valuesOf(model, current), ...found.values };
        return {
          new_state: writeObject(objectOf(model, found.id, values, { like: current })),
          private: privateBytes(found.private),
          diagnostics: [],
        };
      }
      own = privateBytes(barePrivate(session));
    }
    const prior = stateOf(model, current, own);
    const { state, warnings } = await session.needEngine().read(model.kind, prior, context);
    const diagnostics = [...session.takeWarnings(), ...warnings].map((each) =>
      warning(model.attributes, each),
    );
    if (!state) return { new_state: writeObject(null), diagnostics };
    return {
      new_state: writeObject(objectOf(model, state.id, state.values, { like: current })),
      private: privateBytes(state.private),
      diagnostics,
    };
  } catch (error) {
    return {
      new_state: writeObject(current),
      private: request.private,
      diagnostics: failure(`Reading ${model.typeName} ${idOf(current)}`, model.attributes, error),
    };
  }
}

export async function importResourceState(
  session: Session,
  { type_name, id }: ImportRequest,
): Promise<Answer<typeof importResponse>> {
  const model = session.model(type_name);
  try {
    const found = await session.needEngine().import(model.kind, id, session.reading());
    const state = writeObject(objectOf(model, found.id, found.values, { like: NAMELESS }));
    const resource = { type_name, state, private: privateBytes(found.private) };
    return { imported_resources: [resource], diagnostics: [] };
  } catch (error) {
    return { diagnostics: failure(`Importing ${type_name}`, model.attributes, error) };
  }
}

/**
 * The stored state in the words of this release. It has one version so far: attributes that are no
 * longer known are left out, and what led to the object is done with.
 */
export async function upgradeResourceState(
  session: Session,
  { type_name, version, raw_state }: UpgradeRequest,
): Promise<Answer<typeof upgradeResponse>> {
  const model = session.model(type_name);
  if (version > SCHEMA_VERSION) {
    return refused(
      `Reading the state of ${type_name}`,
      `It was written by a later release of this provider (schema ${version}, and this one knows ${SCHEMA_VERSION}). Use that release or a later one.`,
    );
  }
  const stored = parsed(raw_state?.json);
  if (!stored) {
    return refused(
      `Reading the state of ${type_name}`,
      "It is no JSON object, as every state of this provider is. Restore it from a backup, or import the object again.",
    );
  }
  if (typeof stored["id"] === "string") {
    const token = stored[IDENTITY];
    await session.engine?.noteHeld(
      model.kind,
      stored["id"],
      typeof token === "string" && token !== "" ? token : undefined,
    );
  }
  return { upgraded_state: upgraded(model, stored, raw_state?.json), diagnostics: [] };
}

/** The very bytes where nothing has to go: numbers in them may have more digits than Node can hold. */
function upgraded(
  model: ResourceModel,
  stored: Readonly<Record<string, unknown>>,
  bytes: Buffer | undefined,
): DynamicValue {
  const known = new Set([
    ...model.attributes.map(({ name }) => name),
    ...(model.timeouts.length > 0 ? [TIMEOUTS] : []),
  ]);
  const kept = Object.entries(stored).filter(([name]) => known.has(name));
  if (bytes && kept.length === Object.keys(stored).length) return { json: bytes };
  return { json: Buffer.from(JSON.stringify(Object.fromEntries(kept)), "utf8") };
}

function parsed(bytes: Buffer | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse((bytes ?? Buffer.alloc(0)).toString("utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const refused = (what: string, detail: string) => ({
  diagnostics: [{ severity: SEVERITY_ERROR, summary: `${what} failed`, detail }],
});

/**
 * `moved` from another resource type: the same type of this provider under another address, with
 * all that is stored of it, and an object of a generic REST provider at this kind's path, which is
 * known by its id until it is read.
 */
export async function moveResourceState(
  session: Session,
  request: MoveRequest,
): Promise<MoveResponse> {
  const model = session.model(request.target_type_name);
  const source = parsed(request.source_state?.json) ?? {};
  const what = `Moving ${request.source_type_name} to ${model.typeName}`;
  const id = source["id"];
  if (typeof id !== "string" || !isMovable(request, model, source)) {
    return refused(
      what,
      `Only a ${model.typeName} of another address of this provider (${PROVIDER}), or a restapi_object at this kind's path, can become one. Import the object instead, and remove the old one from the state.`,
    );
  }
  if (request.source_type_name === model.typeName && request.source_private.length > 0) {
    return {
      target_state: upgraded(model, source, request.source_state?.json),
      target_private: request.source_private,
      diagnostics: [],
    };
  }
  return {
    target_state: writeObject(objectOf(model, id, {}, { like: NAMELESS })),
    target_private: UNREAD,
    diagnostics: [],
  };
}

function isMovable(
  request: MoveRequest,
  { kind, typeName }: ResourceModel,
  source: Readonly<Record<string, unknown>>,
): boolean {
  if (request.source_type_name === typeName) {
    return request.source_provider_address.endsWith(`/${PROVIDER}`);
  }
  const path = kind.resource === undefined ? undefined : resources[kind.resource].path;
  const at = typeof source["path"] === "string" ? source["path"].replace(/\/+$/, "") : undefined;
  return request.source_type_name === "restapi_object" && path !== undefined && at === path;
}
