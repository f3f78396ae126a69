/** Create, update, read and delete of one resource. */
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import {
  CreateResponse,
  ReadResponse,
  UpdateResponse,
  type CreateRequest,
  type DeleteRequest,
  type ReadRequest,
  type UpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb";
import { PartialFailure, type Path, type Result, type State } from "../../engine";
import { fromPulumi, toPulumi } from "../values";
import { initFailed, sentence } from "./failures";
import { importedInputs, refreshedInputs } from "./inputs";
import { decode, encode } from "./property-values";
import type { Session, Subject } from "./session";
import { hasState, outputsOf, secretFields, stateOf } from "./state";

export async function create(session: Session, request: CreateRequest): Promise<CreateResponse> {
  const subject = session.subject(request.getUrn());
  const { kind, engine } = subject;
  const { values, secrets } = decode(request.getProperties());
  const inputs = fromPulumi(kind, values);
  const response = new CreateResponse();
  if (request.getPreview()) {
    const planned = toPulumi(kind, engine.plannedCreate(kind, inputs));
    response.setProperties(encode(planned, [...secrets, ...secretFields(kind)]));
    return response;
  }
  return session.work(subject, async () => {
    const context = session.context(subject, request.getTimeout());
    const { id, properties } = await settled(
      session,
      subject,
      secrets,
      request.getProperties(),
      () => engine.create(kind, inputs, context),
    );
    session.answered(subject, id);
    response.setId(id);
    response.setProperties(properties);
    return response;
  });
}

export async function update(session: Session, request: UpdateRequest): Promise<UpdateResponse> {
  const subject = session.subject(request.getUrn());
  const { kind, engine } = subject;
  const { values, secrets } = decode(request.getNews());
  const inputs = fromPulumi(kind, values);
  const response = new UpdateResponse();
  const prior = (): State => stateOf(kind, request.getId(), decode(request.getOlds()).values);
  if (request.getPreview()) {
    return session.told(subject, async () => {
      const planned = await engine.diff(kind, prior(), inputs, subject.urn);
      const shown = toPulumi(kind, engine.plannedUpdate(kind, prior(), inputs, planned));
      response.setProperties(encode(shown, [...secrets, ...secretFields(kind)]));
      return response;
    });
  }
  return session.work(subject, async () => {
    const context = session.context(subject, request.getTimeout());
    const { properties } = await settled(session, subject, secrets, request.getNews(), () =>
      engine.update(kind, prior(), inputs, context),
    );
    response.setProperties(properties);
    return response;
  });
}

interface Settled {
  readonly id: string;
  readonly properties: Struct;
}

/** Tells the warnings; what exists and is not as it should be keeps its id and its state. */
async function settled(
  session: Session,
  subject: Subject,
  secrets: readonly Path[],
  inputs: Struct | undefined,
  work: () => Promise<Result>,
): Promise<Settled> {
  try {
    const { state, warnings } = await work();
    session.warn(subject, warnings);
    return { id: state.id, properties: outputsOf(subject.kind, state, secrets) };
  } catch (error) {
    if (!(error instanceof PartialFailure)) throw error;
    session.warn(subject, error.warnings);
    const outputs = outputsOf(subject.kind, error.state, secrets);
    throw initFailed(error.state.id, outputs, inputs, sentence(subject.kind, error));
  }
}

/** For a refresh; without a state of ours, for an import. An empty answer: it is gone, by verdict. */
export async function read(session: Session, request: ReadRequest): Promise<ReadResponse> {
  const subject = session.subject(request.getUrn());
  const { kind, engine } = subject;
  const properties = decode(request.getProperties());
  const inputs = decode(request.getInputs());
  const secrets = [...properties.secrets, ...inputs.secrets];
  const context = session.context(subject, request.getTimeout());
  const response = new ReadResponse();
  const answer = (state: State, shown: Record<string, unknown>): ReadResponse => {
    response.setId(state.id);
    response.setProperties(outputsOf(kind, state, secrets));
    response.setInputs(encode(shown, [...secrets, ...secretFields(kind)]));
    return response;
  };
  return session.told(subject, async () => {
    if (!hasState(properties.values)) {
      const state = await engine.import(kind, request.getId(), context);
      return answer(state, importedInputs(kind, state));
    }
    const prior = stateOf(kind, request.getId(), properties.values);
    const { state, warnings } = await engine.read(kind, prior, context);
    session.warn(subject, warnings);
    return state ? answer(state, refreshedInputs(kind, state, inputs.values)) : response;
  });
}

export async function remove(session: Session, request: DeleteRequest): Promise<void> {
  const subject = session.subject(request.getUrn());
  const { kind, engine } = subject;
  await session.work(subject, async () => {
    const prior = stateOf(kind, request.getId(), decode(request.getProperties()).values);
    const context = session.context(subject, request.getTimeout());
    await session.replaced(subject, request.getId());
    const { warnings } = await engine.delete(kind, prior, context);
    session.warn(subject, warnings);
  });
}
