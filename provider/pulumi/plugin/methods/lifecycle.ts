/** Create, update, read and delete of one resource. */
import { PartialFailure, type Path, type Result, type State } from "../../../engine";
import { hasState, stateOf } from "../../private-state";
import { fromPulumi, toPulumi } from "../../values";
import { initFailed, textOfError } from "../failures";
import { importedInputs, refreshedInputs } from "../values/inputs";
import type {
  CreateRequest,
  CreateResponse,
  DeleteRequest,
  ReadRequest,
  ReadResponse,
  UpdateRequest,
  UpdateResponse,
} from "../messages";
import { decode, encode } from "../values/property-values";
import type { Session, Subject } from "../session";
import { outputsOf, secretFields } from "../values/state";

export async function create(session: Session, request: CreateRequest): Promise<CreateResponse> {
  const subject = session.subject(request.urn);
  const { kind, engine } = subject;
  const { values, secrets } = decode(request.properties);
  const inputs = fromPulumi(kind, values);
  if (request.preview) {
    const planned = toPulumi(kind, engine.plannedCreate(kind, inputs));
    return { properties: encode(planned, [...secrets, ...secretFields(kind)]) };
  }
  return session.work(subject, async () => {
    const context = session.context(subject, request.timeout);
    const { id, properties } = await settled(session, subject, secrets, request.properties, () =>
      engine.create(kind, inputs, context),
    );
    session.answered(subject, id);
    return { id, properties };
  });
}

export async function update(session: Session, request: UpdateRequest): Promise<UpdateResponse> {
  const subject = session.subject(request.urn);
  const { kind, engine } = subject;
  const { values, secrets } = decode(request.news);
  const inputs = fromPulumi(kind, values);
  const prior = (): State => stateOf(kind, request.id, decode(request.olds).values);
  if (request.preview) {
    return session.told(subject, async () => {
      const planned = await engine.diff(kind, prior(), inputs, subject.urn);
      const shown = toPulumi(kind, engine.plannedUpdate(kind, prior(), inputs, planned));
      return { properties: encode(shown, [...secrets, ...secretFields(kind)]) };
    });
  }
  return session.work(subject, async () => {
    const context = session.context(subject, request.timeout);
    const { properties } = await settled(session, subject, secrets, request.news, () =>
      engine.update(kind, prior(), inputs, context),
    );
    return { properties };
  });
}

interface Settled {
  readonly id: string;
  readonly properties: Buffer;
}

/** Tells the warnings; what exists and is not as it should be keeps its id and its state. */
async function settled(
  session: Session,
  subject: Subject,
  secrets: readonly Path[],
  inputs: Buffer,
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
    throw initFailed(error.state.id, outputs, inputs, textOfError(subject.kind, error));
  }
}

/** For a refresh; without a state of ours, for an import. An empty answer: it is gone, by verdict. */
export async function read(session: Session, request: ReadRequest): Promise<ReadResponse> {
  const subject = session.subject(request.urn);
  const { kind, engine } = subject;
  const properties = decode(request.properties);
  const inputs = decode(request.inputs);
  const secrets = [...properties.secrets, ...inputs.secrets];
  session.refuseCancelled();
  const context = { ...session.context(subject, request.timeout), ...session.giveUp };
  const answer = (state: State, shown: Record<string, unknown>): ReadResponse => ({
    id: state.id,
    properties: outputsOf(kind, state, secrets),
    inputs: encode(shown, [...secrets, ...secretFields(kind)]),
  });
  return session.told(subject, async () => {
    if (!hasState(properties.values)) {
      const state = await engine.import(kind, request.id, context);
      return answer(state, importedInputs(kind, state));
    }
    const prior = stateOf(kind, request.id, properties.values);
    const { state, warnings } = await engine.read(kind, prior, context);
    session.warn(subject, warnings);
    return state ? answer(state, refreshedInputs(kind, state, inputs.values)) : {};
  });
}

export async function remove(session: Session, request: DeleteRequest): Promise<void> {
  const subject = session.subject(request.urn);
  const { kind, engine } = subject;
  await session.work(subject, async () => {
    const prior = stateOf(kind, request.id, decode(request.properties).values);
    const context = session.context(subject, request.timeout);
    await session.replaced(subject, request.id);
    const { warnings } = await engine.delete(kind, prior, context);
    session.warn(subject, warnings);
  });
}
