/** Applying what was planned. Whatever exists afterwards is in the answer, also when it failed. */
import type { Values } from "../../contract";
import { hasUnknown, PartialFailure, type State } from "../../engine";
import { message, type Message } from "../../messages";
import { failure, warning } from "../diagnostics";
import { readObject, writeObject } from "../values/dynamic";
import { attributeNamed, type ResourceModel } from "../schema/model";
import {
  identityOf,
  idOf,
  inputsOf,
  objectOf,
  plainOf,
  privateBytes,
  settled,
  stateOf,
  timeoutOf,
  UNREAD,
  unkeptFields,
} from "../values/state";
import type { ApplyRequest, Diagnostic, StateResponse } from "../wire/messages";
import { memberOf } from "../values/values";
import { encodeMsgpack, type RawObject } from "../wire/msgpack";
import { foundAgain } from "./again";
import { wireField } from "./fields";
import type { Session } from "./session";

export async function applyResourceChange(
  session: Session,
  request: ApplyRequest,
): Promise<StateResponse> {
  const model = session.model(request.type_name);
  const prior = readObject(request.prior_state);
  const planned = readObject(request.planned_state);
  const config = readObject(request.config);
  const job = { session, model, request, prior };
  if (planned === null || config === null) return remove(job);
  return prior === null
    ? create({ ...job, planned, config })
    : update({ ...job, planned, config: settled(config, prior), prior });
}

interface Job {
  readonly session: Session;
  readonly model: ResourceModel;
  readonly request: ApplyRequest;
  readonly prior: RawObject | null;
}
interface Change extends Job {
  readonly planned: RawObject;
  readonly config: RawObject;
}

async function create(job: Change): Promise<StateResponse> {
  const { session, model, config } = job;
  const context = session.context(identityOf(config), timeoutOf(model, config, "create"));
  try {
    const inputs = inputsOf(model, config, null);
    const { state, warnings } = await session.needEngine().create(model.kind, inputs, context);
    return kept(job, state, warnings, []);
  } catch (error) {
    return failed(job, `Creating ${model.typeName}`, error, { new_state: writeObject(null) });
  }
}

async function update(job: Change & { readonly prior: RawObject }): Promise<StateResponse> {
  const { session, model, config, prior, request } = job;
  const context = session.context(identityOf(config), timeoutOf(model, config, "update"));
  const before = { new_state: writeObject(prior), private: request.planned_private };
  try {
    const state = stateOf(model, prior, request.planned_private);
    const inputs = inputsOf(model, config, prior);
    const result = await session.needEngine().update(model.kind, state, inputs, context);
    return kept(job, result.state, result.warnings, []);
  } catch (error) {
    return failed(job, `Updating ${model.typeName} ${idOf(prior)}`, error, before);
  }
}

async function remove({ session, model, request, prior }: Job): Promise<StateResponse> {
  if (prior === null) return { new_state: writeObject(null), diagnostics: [] };
  // For the delete of a tainted object that is made anew, the engines leave out what we keep.
  let own = request.planned_private.length > 0 ? request.planned_private : UNREAD;
  const deleted = (warnings: readonly Message[]): StateResponse => ({
    new_state: writeObject(null),
    diagnostics: warnings.map((each) => warning(model.attributes, each)),
  });
  try {
    const context = session.context(identityOf(prior));
    if (own.equals(UNREAD)) {
      const found = await foundAgain(session, model, prior, context);
      if (!found)
        return deleted([
          message("gone_already", { subject: { kind: model.kind.name, id: idOf(prior) } }),
        ]);
      own = privateBytes(found.private);
    }
    const state = stateOf(model, prior, own);
    const { warnings } = await session.needEngine().delete(model.kind, state, context);
    return deleted(warnings);
  } catch (error) {
    const operation = `Deleting ${model.typeName} ${idOf(prior)}`;
    return {
      new_state: writeObject(prior),
      private: own,
      diagnostics: failure(operation, model.attributes, error, wireField(session, model)),
    };
  }
}

/** The object as it is now, with what was planned for it wherever that means the same. */
function kept(
  { session, model, planned, config }: Change,
  state: State,
  warnings: readonly Message[],
  errors: readonly Diagnostic[],
): StateResponse {
  const failed = errors.length > 0;
  const asFound = failed ? new Set<string>() : foundFields(model, planned, config);
  const values = failed ? state.values : asPlanned(model, planned, asFound, config, state.values);
  const unkept = unkeptFields(model, config);
  const own = {
    ...state.private,
    // What the program gives of these is less than what is in the state.
    managed: state.private.managed.filter((name) => !asFound.has(name)),
    // Not even a hash of a value that no state may hold.
    echo: Object.fromEntries(
      Object.entries(state.private.echo).filter(([path]) => !unkept.has(path.split(".")[0] ?? "")),
    ),
  };
  return {
    new_state: writeObject(objectOf(model, state.id, values, { like: planned, unkept })),
    private: privateBytes(own),
    diagnostics: [
      ...[...session.takeWarnings(), ...warnings].map((each) => warning(model.attributes, each)),
      ...errors,
    ],
  };
}

/** Fields that were planned as an import found them: they hold what the program gives, and more. */
function foundFields(
  { attributes, kind }: ResourceModel,
  planned: RawObject,
  config: RawObject,
): ReadonlySet<string> {
  const differs = attributes.filter(({ name }) => {
    const before = memberOf(planned, name);
    const given = memberOf(config, name);
    if (!Object.hasOwn(kind.fields, name) || before === null || given === null) return false;
    return !hasUnknown(before) && !encodeMsgpack(before).equals(encodeMsgpack(given));
  });
  return new Set(differs.map(({ name }) => name));
}

/**
 * The engines hold a provider to every value that it planned. Where the service changed one of its
 * own in the meantime, the planned one is told now and the new one by the next read.
 */
function asPlanned(
  model: ResourceModel,
  planned: RawObject,
  asFound: ReadonlySet<string>,
  config: RawObject,
  values: Values,
): Values {
  const own = model.attributes.flatMap(({ name, mode }) => {
    const isGiven = mode === "required" || mode === "optional" || memberOf(config, name) !== null;
    if (isGiven && !asFound.has(name)) return [];
    const attribute = attributeNamed(model.attributes, name);
    if (!attribute || !Object.hasOwn(model.kind.fields, name)) return [];
    const wanted = plainOf(attribute, planned);
    return hasUnknown(wanted) ? [] : [[name, wanted] as const];
  });
  return { ...values, ...Object.fromEntries(own) };
}

function failed(
  job: Change,
  operation: string,
  error: unknown,
  before: Omit<StateResponse, "diagnostics">,
): StateResponse {
  const { session, model } = job;
  const errors = failure(operation, model.attributes, error, wireField(session, model));
  if (error instanceof PartialFailure) return kept(job, error.state, error.warnings, errors);
  const warnings = session.takeWarnings().map((each) => warning(model.attributes, each));
  return { ...before, diagnostics: [...warnings, ...errors] };
}
