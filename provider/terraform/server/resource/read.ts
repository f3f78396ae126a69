/** Reading and importing: the object in the service becomes a state, and a state a configuration. */
import type { State } from "../../../engine";
import { message, type Message } from "../../../messages";
import { declaredInputs } from "../../../resources";
import { failure, ProviderError, diagnosticsOf } from "../../diagnostics";
import type { ResourceModel } from "../../schema/model";
import { identityIn, identityMember, readObject, writeObject } from "../../values/dynamic";
import { identityOf, NAMELESS, objectOf, privateBytes, stateOf } from "../../values/state";
import { subjectOf, unreadOf, valuesOf } from "../../values/state";
import { memberOf } from "../../values/values";
import type { GenerateRequest, GenerateResponse, IdentityData } from "../../wire/messages.gen";
import type { ImportRequest, ImportResponse, ReadRequest } from "../../wire/messages.gen";
import type { ReadResponse } from "../../wire/messages.gen";
import type { RawObject } from "../../wire/msgpack";
import { assertRecorded, emptyPrivate, findAgain } from "./find-again";
import type { Session } from "../session";

export async function readResource(session: Session, request: ReadRequest): Promise<ReadResponse> {
  const model = session.model(request.type_name);
  const current = readObject(request.current_state);
  if (current === null) return { new_state: writeObject(null), diagnostics: [] };
  const unchanged = {
    new_state: request.current_state,
    private: request.private,
    new_identity: request.current_identity,
  };
  try {
    const unread = session.unread();
    if (unread)
      return { ...unchanged, diagnostics: diagnosticsOf(model.attributes, { notes: unread }) };
    const answer = await readAgain(session, model, request, current);
    // One that the engine does not have yet would make a refresh of an older state a change.
    return { ...answer, new_identity: request.current_identity };
  } catch (error) {
    // An error that this run has explained needs no repetition: it ends the run all the same.
    const diagnostics = session.isExplained(error)
      ? []
      : failure(`Reading ${model.typeName}`, model.attributes, error);
    return { ...unchanged, diagnostics };
  }
}

async function readAgain(
  session: Session,
  model: ResourceModel,
  request: ReadRequest,
  current: RawObject,
): Promise<ReadResponse> {
  const context = session.reading(identityOf(current));
  let own = request.private;
  const unread = unreadOf(own);
  if (unread) {
    const found = await findAgain(session, model, current, context);
    assertRecorded(session, model, { held: current, found, moved: unread.moved });
    if (found) {
      const values = { ...valuesOf(model, current), ...found.values };
      return {
        new_state: writeObject(objectOf(model, found.id, values, { like: current })),
        private: privateBytes(found.private),
        diagnostics: [],
      };
    }
    own = privateBytes(emptyPrivate(session));
  }
  const prior = stateOf(model, current, own);
  const { state, warnings } = await session.needEngine().read(model.kind, prior, context);
  const subject = subjectOf(model, current);
  const notes = [
    ...session.takeWarnings(),
    ...warnings,
    ...stillFailed(session, model, prior, state),
  ].map((each) => ({ subject, ...each }));
  const diagnostics = diagnosticsOf(model.attributes, { notes });
  if (!state) return { new_state: writeObject(null), diagnostics };
  return {
    new_state: writeObject(objectOf(model, state.id, state.values, { like: current })),
    private: privateBytes(state.private),
    diagnostics,
  };
}

/** A plan without a change says nothing of an object that failed before, unless it can be replaced. */
function stillFailed(
  session: Session,
  { kind }: ResourceModel,
  { id, values: before }: State,
  now: State | undefined,
): Message[] {
  if (kind.resource === undefined) return [];
  const { states, operations } = session.needEngine().contract.resources[kind.resource];
  const status = String(now?.values["status"]);
  const hasFailed = states?.failed.some((end) => status.endsWith(end)) && operations.delete;
  if (!hasFailed || status !== before["status"]) return [];
  return [message("found_failed", { subject: { kind: kind.name, id }, status })];
}

export async function importResourceState(
  session: Session,
  { type_name, id, identity }: ImportRequest,
): Promise<ImportResponse> {
  const model = session.model(type_name);
  try {
    const reference = identity ? idIn(session, model, identity) : id;
    const found = await session.needEngine().import(model.kind, reference, session.reading());
    const object = objectOf(model, found.id, found.values, { like: NAMELESS });
    const resource = {
      type_name,
      state: writeObject(object),
      private: privateBytes(found.private),
      identity: identityIn(model, object),
    };
    return { imported_resources: [resource], diagnostics: [] };
  } catch (error) {
    return { diagnostics: session.tell(`Importing ${type_name}`, model.attributes, error) };
  }
}

/** @throws ProviderError where it cannot be one: an import by name is none by identity */
function idIn(session: Session, model: ResourceModel, { identity_data }: IdentityData): string {
  const { kind } = model;
  const given = memberOf(readObject(identity_data), identityMember(model));
  const id = typeof given === "string" ? given : "";
  if (!/^(?:$|name=)/.test(id)) return id;
  const { baseUrl } = session.needEngine().account;
  throw new ProviderError(message("not_found", { kind: kind.name, by: "id", value: id, baseUrl }));
}

/** What `erphost import` would write of the object in a state. */
export async function generateResourceConfig(
  session: Session,
  { type_name, state }: GenerateRequest,
): Promise<GenerateResponse> {
  const model = session.model(type_name);
  const object = readObject(state);
  if (object === null) return { config: writeObject(null), diagnostics: [] };
  const inputs = declaredInputs(model.kind, valuesOf(model, object));
  return { config: writeObject(objectOf(model, null, inputs, { like: null })), diagnostics: [] };
}
