/** Applying what was planned. The response has whatever exists afterwards, even after a failure. */
import type { Values } from "../../../contract";
import { hasUnknown } from "../../../resources";
import { EngineError, PartialFailure, type State } from "../../../engine";
import { message, type Message } from "../../../messages";
import { protectedInState, diagnosticsOf } from "../../diagnostics";
import { identityIn, readObject, writeObject } from "../../values/dynamic";
import type { ResourceModel } from "../../schema/model";
import {
  identityOf,
  inputsOf,
  isOfTainted,
  movedBytes,
  objectOf,
  plainOf,
  privateBytes,
  namesakesOf,
  replacedOf,
  stateOf,
  subjectOf,
  timeoutOf,
  UNREAD,
  unkeptFields,
  unreadOf,
  withFirstIdentity,
} from "../../values/state";
import type { ApplyRequest, Diagnostic, ApplyResponse } from "../../wire/messages.gen";
import { memberOf } from "../../values/values";
import { encodeMsgpack, type Raw, type RawObject } from "../../wire/msgpack";
import { assertRecorded, findAgain } from "./find-again";
import type { Session } from "../session";

export async function applyResourceChange(
  session: Session,
  request: ApplyRequest,
): Promise<ApplyResponse> {
  const model = session.model(request.type_name);
  const prior = readObject(request.prior_state);
  const planned = readObject(request.planned_state);
  const config = readObject(request.config);
  const job = { session, model, request, prior };
  if (planned === null || config === null) return withIdentity(model, await remove(job));
  const given = asPlanned(model, withFirstIdentity(config, prior), planned);
  const imported = importedFields(job, planned, config);
  const change = { ...job, planned, config: given, imported };
  if (prior === null) return withIdentity(model, await create(change));
  return { ...(await update({ ...change, prior })), new_identity: request.planned_identity };
}

/** What the engine does not send it may still have: that of a tainted object that cannot be deleted. */
const withIdentity = (model: ResourceModel, answer: ApplyResponse): ApplyResponse => ({
  ...answer,
  new_identity: identityIn(model, readObject(answer.new_state)),
});

interface Job {
  readonly session: Session;
  readonly model: ResourceModel;
  readonly request: ApplyRequest;
  readonly prior: RawObject | null;
}
interface Change extends Job {
  readonly planned: RawObject;
  readonly config: RawObject;
  readonly imported: ReadonlySet<string>;
}

/** The configuration that was planned: engines heed `ignore_changes` in a plan alone. */
function asPlanned(model: ResourceModel, config: RawObject, planned: RawObject): RawObject {
  const taken = model.attributes.filter(({ name, mode, writeOnly }) => {
    const isOption = model.kind.fields[name]?.origin === "option";
    // What the program leaves to the service was planned as the service has it.
    const isLeft = mode === "optional-computed" && !isOption && memberOf(config, name) === null;
    return !writeOnly && mode !== "computed" && !isLeft;
  });
  const own = taken.map(({ name }) => [name, planned[name] ?? null] as const);
  return { ...config, ...Object.fromEntries(own) };
}

async function create(job: Change): Promise<ApplyResponse> {
  const { session, model, config, request } = job;
  const context = session.context(identityOf(config), timeoutOf(model, config, "create"));
  try {
    const inputs = inputsOf(model, config, null);
    const replaces = replacedOf(request.planned_private);
    const namesakes = namesakesOf(request.planned_private);
    const options = { ...context, namesakes, ...(replaces && { replaces }) };
    const { state, warnings } = await session.needEngine().create(model.kind, inputs, options);
    return stateAfter(job, state, warnings, []);
  } catch (error) {
    return failed(job, `Creating ${model.typeName}`, error, { new_state: writeObject(null) });
  }
}

async function update(job: Change & { readonly prior: RawObject }): Promise<ApplyResponse> {
  const { session, model, config, prior, request } = job;
  const context = session.context(identityOf(config), timeoutOf(model, config, "update"));
  const before = { new_state: writeObject(prior), private: request.planned_private };
  try {
    const state = stateOf(model, prior, request.planned_private);
    const inputs = inputsOf(model, config, prior);
    const result = await session.needEngine().update(model.kind, state, inputs, context);
    return stateAfter(job, result.state, result.warnings, []);
  } catch (error) {
    return failed(job, `Updating ${model.typeName}`, error, before);
  }
}

async function remove({ session, model, request, prior }: Job): Promise<ApplyResponse> {
  if (prior === null) return { new_state: writeObject(null), diagnostics: [] };
  const tainted = isOfTainted(request.planned_private);
  let own = tainted ? unreadBytes(model, prior) : request.planned_private;
  try {
    const context = session.context(identityOf(prior));
    const unread = unreadOf(own);
    if (unread) {
      const found = await findAgain(session, model, prior, context);
      assertRecorded(session, model, { held: prior, found, moved: unread.moved });
      if (!found) {
        return deleted(model, [message("gone_already", { subject: subjectOf(model, prior) })]);
      }
      own = privateBytes(found.private);
    }
    const state = stateOf(model, prior, own);
    const { warnings } = await session.needEngine().delete(model.kind, state, context);
    return deleted(model, warnings);
  } catch (error) {
    const refused =
      error instanceof EngineError
        ? new EngineError(protectedInState(error.reason, tainted))
        : error;
    const fieldOf = attributeOfField(session, model);
    return {
      new_state: writeObject(prior),
      private: own,
      diagnostics: session.tell(`Deleting ${model.typeName}`, model.attributes, refused, fieldOf),
    };
  }
}

/** What was never read may have been moved here: what another provider recorded of it is not known. */
const unreadBytes = ({ kind }: ResourceModel, prior: RawObject): Buffer =>
  kind.resource !== undefined && memberOf(prior, "created_at") === null ? movedBytes({}) : UNREAD;

const deleted = ({ attributes }: ResourceModel, notes: readonly Message[]): ApplyResponse => ({
  new_state: writeObject(null),
  diagnostics: diagnosticsOf(attributes, { notes }),
});

/** The object as it is now, with planned values wherever they mean the same. */
function stateAfter(
  change: Change,
  state: State,
  warnings: readonly Message[],
  errors: readonly Diagnostic[],
): ApplyResponse {
  const { session, model, planned, config, imported } = change;
  const hasFailed = errors.length > 0;
  const values = hasFailed ? state.values : { ...state.values, ...plannedValues(change) };
  const unkept = unkeptFields(model, config);
  const own = {
    ...state.private,
    // The program gives less of these than the state holds.
    managed: state.private.managed.filter((name) => !imported.has(name)),
    // Not even a hash of a value that no state may hold.
    echo: Object.fromEntries(
      Object.entries(state.private.echo).filter(([path]) => !unkept.has(path.split(".")[0] ?? "")),
    ),
  };
  const notes = session.worthWarning([...session.takeWarnings(), ...warnings]);
  return {
    new_state: writeObject(objectOf(model, state.id, values, { like: planned, unkept })),
    private: privateBytes(own),
    diagnostics: [...diagnosticsOf(model.attributes, { notes }), ...errors],
  };
}

/** Fields that were planned as they were imported: they hold what the program gives, and more. */
function importedFields(
  { model, request, prior }: Job,
  planned: RawObject,
  config: RawObject,
): ReadonlySet<string> {
  const { managed = [] } = replacedOf(request.planned_private)?.private ?? {};
  const kept = model.kind.inputs.flatMap(([name]) => {
    const [then, before, given] = [planned, prior, config].map((raw) => memberOf(raw, name));
    const isKept = before !== null && !managed.includes(name) && isSame(before, then);
    return isKept && !isSame(before, given) ? [name] : [];
  });
  return new Set(kept);
}

const isSame = (one: Raw = null, other: Raw = null): boolean =>
  encodeMsgpack(one).equals(encodeMsgpack(other));

/**
 * Values that were planned and have to be returned: the engines refuse any others. Where the service
 * has changed one of its own since then, the next read returns the new one.
 */
function plannedValues({ model, planned }: Change): Values {
  const own = model.attributes.flatMap((attribute) => {
    const { name } = attribute;
    const wanted = plainOf(attribute, planned);
    const isField = Object.hasOwn(model.kind.fields, name);
    return !isField || hasUnknown(wanted) ? [] : [[name, wanted] as const];
  });
  return Object.fromEntries(own);
}

function failed(
  job: Change,
  operation: string,
  error: unknown,
  before: Omit<ApplyResponse, "diagnostics">,
): ApplyResponse {
  const { session, model } = job;
  const fieldOf = attributeOfField(session, model);
  const errors = session.tell(operation, model.attributes, error, fieldOf);
  if (error instanceof PartialFailure) return stateAfter(job, error.state, error.warnings, errors);
  const warnings = diagnosticsOf(model.attributes, { notes: session.takeWarnings() });
  return { ...before, diagnostics: [...warnings, ...errors] };
}

/** Finds the attribute behind a field that the service found at fault; free fields are `properties`. */
function attributeOfField(session: Session, model: ResourceModel): (wire: string) => string {
  const { kind } = model;
  const names =
    kind.resource === undefined
      ? {}
      : (session.engine?.contract ?? session.plainContract).resources[kind.resource].wireNames;
  return (wire) => {
    const known = Object.entries(names).find(([, own]) => own === wire)?.[0];
    return known ?? (Object.hasOwn(kind.fields, wire) ? wire : "properties");
  };
}
