/** Stored states: upgrading them to this release, and moving them between types and addresses. */
import { isRecord, resources, type Values } from "../../../contract";
import { message, type Message } from "../../../messages";
import { refusals } from "../../diagnostics";
import { IDENTITY, PROVIDER, TIMEOUTS } from "../../names";
import type { ResourceModel } from "../../schema/model";
import { SCHEMA_VERSION } from "../../schema/render";
import { IDENTITY_VERSION, identityIn, identityMember, writeObject } from "../../values/dynamic";
import { isRecorded, membersIn, movedBytes, NAMELESS, objectOf, UNREAD } from "../../values/state";
import type { Recorded } from "../../values/state";
import type {
  Diagnostic,
  DynamicValue,
  IdentityData,
  MoveRequest,
  MoveResponse,
  RawState,
  UpgradeIdentityRequest,
  UpgradeIdentityResponse,
  UpgradeRequest,
  upgradeResponse,
} from "../../wire/messages.gen";
import type { Session } from "../session";

type Answer<M> = M extends { readonly value?: infer T } ? NonNullable<T> : never;

/**
 * The stored state as this release knows it. There is one version so far: attributes that are no longer
 * known are left out, and the intent of the create that led to the object is dropped.
 */
export async function upgradeResourceState(
  session: Session,
  { type_name, version, raw_state }: UpgradeRequest,
): Promise<Answer<typeof upgradeResponse>> {
  const model = session.model(type_name);
  if (version > SCHEMA_VERSION) {
    return refused(
      message("state_too_new", { kind: model.kind.name, version, known: SCHEMA_VERSION }),
    );
  }
  const stored = membersIn(raw_state?.json);
  if (!stored) return refused(message("state_not_json", { kind: model.kind.name }));
  if (typeof stored["id"] === "string") {
    const token = stored[IDENTITY];
    await session.engine?.noteInState(
      model.kind,
      stored["id"],
      typeof token === "string" && token !== "" ? token : undefined,
    );
  }
  return { upgraded_state: upgraded(model, stored, raw_state?.json), diagnostics: [] };
}

/** The bytes themselves where nothing is left out: their numbers may have more digits than Node holds. */
function upgraded(model: ResourceModel, stored: Values, bytes: Buffer | undefined): DynamicValue {
  const known = new Set([
    ...model.attributes.map(({ name }) => name),
    ...(model.timeouts.length > 0 ? [TIMEOUTS] : []),
  ]);
  const kept = Object.entries(stored).filter(([name]) => known.has(name));
  if (bytes && kept.length === Object.keys(stored).length) return { json: bytes };
  return { json: Buffer.from(JSON.stringify(Object.fromEntries(kept)), "utf8") };
}

const refused = (reason: Message): { diagnostics: Diagnostic[] } => ({
  diagnostics: refusals([], [reason]),
});

/**
 * A `moved` block from another resource type. The same type of this provider under another address
 * keeps its whole state; of an object of a generic REST provider at this kind's path only the id is
 * known until it is read.
 */
export async function moveResourceState(
  session: Session,
  request: MoveRequest,
): Promise<MoveResponse> {
  const model = session.model(request.target_type_name);
  const source = membersIn(request.source_state?.json) ?? {};
  const isOwn = request.source_type_name === model.typeName;
  const recorded = isOwn ? {} : recordedIn(source);
  // A program may have chosen the id that another provider knows it by.
  const id = recorded.id ?? source["id"];
  if (typeof id !== "string" || !isMovable(request, model, source)) {
    return refused(
      message("not_movable", { kind: model.kind.name, source: request.source_type_name }),
    );
  }
  if (!isOwn && !isRecorded(recorded)) {
    return refused(message("moved_unrecorded", { subject: { kind: model.kind.name, id } }));
  }
  const target_identity = isOwn ? storedIdentity(model, request.source_identity) : undefined;
  if (isOwn && request.source_private.length > 0) {
    return {
      target_state: upgraded(model, source, request.source_state?.json),
      target_private: request.source_private,
      target_identity,
      diagnostics: [],
    };
  }
  return {
    target_state: writeObject(objectOf(model, id, {}, { like: NAMELESS })),
    target_private: isOwn ? UNREAD : movedBytes(recorded),
    target_identity,
    diagnostics: [],
  };
}

/** The stored identity as this release knows it: there is one version so far. */
export async function upgradeResourceIdentity(
  session: Session,
  { type_name, version, raw_identity }: UpgradeIdentityRequest,
): Promise<UpgradeIdentityResponse> {
  const model = session.model(type_name);
  const { name: kind } = model.kind;
  if (version > IDENTITY_VERSION) {
    return refused(message("state_too_new", { kind, version, known: IDENTITY_VERSION }));
  }
  const identity = storedIdentity(model, raw_identity);
  if (!identity) {
    return refused(message("identity_missing", { kind, field: identityMember(model) }));
  }
  return { upgraded_identity: identity, diagnostics: [] };
}

function storedIdentity(model: ResourceModel, raw: RawState | undefined): IdentityData | undefined {
  const member = identityMember(model);
  const value = membersIn(raw?.json)?.[member];
  return typeof value === "string" ? identityIn(model, { [member]: value }) : undefined;
}

function isMovable(request: MoveRequest, { kind, typeName }: ResourceModel, from: Values): boolean {
  if (request.source_type_name === typeName) {
    return request.source_provider_address.endsWith(`/${PROVIDER}`);
  }
  if (request.source_type_name !== "restapi_object" || kind.resource === undefined) return false;
  const [at] = [from["create_path"], from["path"]].filter((path) => typeof path === "string");
  // With or without what the base address ends in: a provider's address may end before it.
  const found = /^(?:.*\/v\d+)?(\/[^/?]+)\/*(?:\?.*)?$/.exec(at ?? "")?.[1];
  return found === resources[kind.resource].path;
}

/**
 * The object in the last answer that a generic provider stored, of a write or of a list, else in its
 * first; else the name that it sent.
 */
function recordedIn(source: Values): Recorded {
  const stored = (member: string): Record<string, unknown> | undefined => {
    const text = source[member];
    return membersIn(Buffer.from(typeof text === "string" ? text : ""));
  };
  const [last, first] = [stored("api_response"), stored("create_response")];
  const answers = [last?.["data"], last, source["api_data"], first?.["data"], first];
  const isOne = ({ id }: Recorded): boolean => typeof id === "string" && id !== "";
  return { name: stored("data")?.["name"], ...answers.filter(isRecord).find(isOne) };
}
