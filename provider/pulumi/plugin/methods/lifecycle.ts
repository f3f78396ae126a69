/** The life of a resource, as Pulumi's engine asks for it. */
import { camel, isRecord, type Values } from "../../../contract";
import { diff, PartialFailure, plannedCreate, plannedNames, plannedRights } from "../../../engine";
import { plannedUpdate } from "../../../engine";
import type { Path, Result, State } from "../../../engine";
import { CallFailure, encodeMessage, status } from "../../../grpc";
import { declaredInputs, type Kind } from "../../../resources";
import { fromPulumi, hasState, heed, stateOf, toPulumi, warn } from "../../values";
import { failureText } from "../../voice";
import { resourceInitFailed, statusDetails } from "../messages.gen";
import type { CreateRequest, CreateResponse, DeleteRequest, ReadRequest } from "../messages.gen";
import type { ReadResponse, UpdateRequest, UpdateResponse } from "../messages.gen";
import type { ResourceCall, Session } from "../session";
import { decode, encode, outputsOf, secretFields } from "../values/property-values";

export async function create(session: Session, request: CreateRequest): Promise<CreateResponse> {
  const call = session.resource(request.urn);
  const { kind, engine } = call;
  const { values, secrets } = decode(request.properties);
  const inputs = fromPulumi(kind, values);
  const { protects } = session;
  if (protects.has(call.urn)) await protects.assertCreatable(call.urn, call, inputs);
  if (request.preview) {
    // A list is read for the name only where the key may do what is planned.
    heed(call, plannedRights(await call.observe({ declared: inputs }), { creates: inputs }));
    heed(call, plannedNames(await call.observe({ declared: inputs, names: true }), inputs));
    const planned = toPulumi(kind, plannedCreate(kind, inputs));
    return { properties: encode(planned, [...secrets, ...secretFields(kind)]) };
  }
  const written = await write(call, { inputs: request.properties, secrets }, () =>
    engine.create(kind, inputs, call.options(request.timeout)),
  );
  session.created.set(call.urn, written.id);
  return written;
}

export async function update(session: Session, request: UpdateRequest): Promise<UpdateResponse> {
  const call = session.resource(request.urn);
  const { kind, engine } = call;
  const { values, secrets } = decode(request.news);
  const inputs = fromPulumi(kind, values);
  const prior = stateOf(kind, request.id, decode(request.olds).values);
  if (request.preview) {
    const changes = diff(await call.observe({ prior }), prior, inputs);
    const planned = toPulumi(kind, plannedUpdate(kind, prior, inputs, changes));
    return { properties: encode(planned, [...secrets, ...secretFields(kind)]) };
  }
  return write(call, { inputs: request.news, secrets }, () =>
    engine.update(kind, prior, inputs, call.options(request.timeout)),
  );
}

interface StoredResource {
  readonly id: string;
  readonly properties: Buffer;
}

/** Reports the warnings. An object that exists but is not as declared keeps its id and its state. */
function write(
  call: ResourceCall,
  { inputs, secrets }: { readonly inputs: Buffer; readonly secrets: readonly Path[] },
  run: () => Promise<Result>,
): Promise<StoredResource> {
  return call.session.work(async () => {
    try {
      const { state, warnings } = await run();
      warn(call, warnings);
      return { id: state.id, properties: outputsOf(call.kind, state, secrets) };
    } catch (error) {
      if (!(error instanceof PartialFailure)) throw error;
      warn(call, error.warnings);
      const properties = outputsOf(call.kind, error.state, secrets);
      const reason = failureText(call.session.voice, error);
      throw initFailed({ id: error.state.id, properties, inputs }, reason);
    }
  });
}

/** A gRPC status by which Pulumi keeps the object and shows the reason. */
function initFailed(failed: StoredResource & { inputs: Buffer }, reason: string): CallFailure {
  const type = "type.googleapis.com/pulumirpc.ErrorResourceInitFailed";
  const value = encodeMessage(resourceInitFailed, { ...failed, reasons: [reason] });
  const details = encodeMessage(statusDetails, {
    code: status.unknown,
    message: reason,
    details: [{ type_url: type, value }],
  });
  return new CallFailure(status.unknown, reason, details);
}

/** For a refresh, and for an import, which has no state yet. An empty answer: the object is gone. */
export async function read(session: Session, request: ReadRequest): Promise<ReadResponse> {
  const call = session.resource(request.urn);
  const { kind, engine } = call;
  const properties = decode(request.properties);
  const inputs = decode(request.inputs);
  const secrets = [...properties.secrets, ...inputs.secrets];
  session.refuseCancelled();
  const options = { ...call.options(request.timeout), signal: session.signal };
  const answer = (state: State, shown: Values): ReadResponse => ({
    id: state.id,
    properties: outputsOf(kind, state, secrets),
    inputs: encode(shown, [...secrets, ...secretFields(kind)]),
  });
  if (!hasState(properties.values)) {
    const state = await engine.import(kind, request.id, options);
    return answer(state, toPulumi(kind, declaredInputs(kind, state.values)));
  }
  session.refreshed.add(request.urn);
  const prior = stateOf(kind, request.id, properties.values);
  const { state, warnings } = await engine.read(kind, prior, options);
  warn(call, warnings);
  session.protects.note(call.urn, state);
  return state ? answer(state, refreshedInputs(kind, state, inputs.values)) : {};
}

export async function remove(session: Session, request: DeleteRequest): Promise<object> {
  const call = session.resource(request.urn);
  const { kind, engine } = call;
  const prior = stateOf(kind, request.id, decode(request.properties).values);
  return session.work(async () => {
    await call.noteReplaced();
    const { warnings } = await engine.delete(kind, prior, call.options(request.timeout));
    warn(call, warnings);
    session.protects.note(call.urn, undefined);
    return {};
  });
}

/**
 * After a refresh: the previous inputs with the service's values, so that drift shows and ignored
 * changes stay ignored. Options belong to the program and stay.
 */
function refreshedInputs(kind: Kind, state: State, before: Values): Values {
  const now = toPulumi(kind, state.values);
  const fromService = new Set(
    kind.inputs.flatMap(([name, { origin }]) => (origin === "service" ? [camel(name)] : [])),
  );
  return Object.fromEntries(
    Object.entries(before).flatMap(([key, value]) => {
      if (isBag(key) && isRecord(value)) return [[key, bagNow(value, now[key])]];
      if (!fromService.has(key)) return [[key, value]];
      return key in now ? [[key, now[key]]] : [];
    }),
  );
}

const isBag = (key: string): boolean => key === "properties" || key === "secretProperties";

const bagNow = (before: Values, now: unknown): Values =>
  Object.fromEntries(
    Object.keys(before).flatMap((key) =>
      isRecord(now) && now[key] !== undefined && now[key] !== null ? [[key, now[key]]] : [],
    ),
  );
