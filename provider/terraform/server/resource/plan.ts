/** Planning: the configuration and the prior state, as the engine compares them, and what it foresees. */
import type { Values } from "../../../contract";
import {
  plannedCreate,
  UNKNOWN,
  type Diff,
  type Foreseen,
  type Planning,
  type State,
} from "../../../engine";
import { failure, pathOf, refusal, warning } from "../../diagnostics";
import { readObject, writeObject } from "../../values/dynamic";
import type { ResourceModel } from "../../schema/model";
import { message, type Message } from "../../../messages";
import { TIMEOUTS } from "../../names";
import {
  identityOf,
  inputsOf,
  ownIssues,
  plannedBytes,
  replacedOf,
  stateOf,
  unkeptFields,
  withFirstIdentity,
  withNamesakes,
} from "../../values/state";
import { fromPlain, memberOf, nullOf } from "../../values/values";
import { asWritten } from "../../values/written";
import type { AttributePath, Diagnostic, PlanRequest, PlanResponse } from "../../wire/messages.gen";
import type { Raw, RawObject } from "../../wire/msgpack";
import type { Session } from "../session";
import { protectedInState } from "./protected";

export async function planResourceChange(
  session: Session,
  request: PlanRequest,
): Promise<PlanResponse> {
  const model = session.model(request.type_name);
  const prior = readObject(request.prior_state);
  const given = readObject(request.config);
  try {
    if (given === null) return planDelete(session, model, prior, request);
    const config = withFirstIdentity(given, prior);
    const checked = checkInputs(session, model, config, prior);
    if (checked.diagnostics.length > 0) return { diagnostics: checked.diagnostics };
    if (prior !== null) {
      return await planUpdate(session, model, { config, prior, inputs: checked.inputs, request });
    }
    const planned = plannedCreate(model.kind, checked.inputs);
    const names = await plannedNames(session, model, checked.inputs, { config, request });
    return {
      planned_state: writeObject(plannedObject(model, config, planned, NOTHING_BEFORE)),
      // Terraform passes this on to the delete that begins a replacement, or else to the create.
      planned_private: withNamesakes(request.prior_private, names.namesakes ?? []),
      diagnostics: [
        ...planReplacement(session, model, checked.inputs, request.prior_private),
        ...rightsDiagnostics(session, model, "create"),
        ...said(model, names.refused, names.notes),
      ],
    };
  } catch (error) {
    const inFull = () => failure(`Planning ${model.typeName}`, model.attributes, error);
    return { diagnostics: session.tell(error, inFull) };
  }
}

function checkInputs(
  session: Session,
  model: ResourceModel,
  config: RawObject,
  prior: RawObject | null,
): { inputs: Values; diagnostics: Diagnostic[] } {
  const given = inputsOf(model, config, prior);
  const { inputs, issues } = session.planning.check(
    model.kind,
    given,
    identityOf(config),
    prior !== null,
  );
  const written = issues.map((issue) => asWritten(model, config, given, issue));
  return {
    inputs,
    diagnostics: [...ownIssues(model, config), ...written].map((issue) =>
      refusal(model.attributes, issue),
    ),
  };
}

function planDelete(
  session: Session,
  model: ResourceModel,
  prior: RawObject | null,
  { prior_private, prior_identity }: PlanRequest,
): PlanResponse {
  const answer = {
    planned_state: writeObject(null),
    planned_private: prior_private,
    planned_identity: prior_identity,
  };
  if (prior === null) return { ...answer, diagnostics: [] };
  const state = stateOf(model, prior, prior_private);
  const { refused: why, notes } = session.planning.plannedDelete(model.kind, state);
  const refused = session.unexplained(why);
  return {
    ...answer,
    diagnostics: [
      ...said(model, refused && protectedInState(refused, false), notes),
      ...rightsDiagnostics(session, model, "delete"),
    ],
  };
}

/**
 * Of a replacement, the delete: forced by `-replace`, `replace_triggered_by` or a taint, it shows in
 * no difference. The engines say of a tainted object nothing at all, and of this second plan only
 * what is refused, so that a warning belongs to the first.
 */
function planReplacement(
  session: Session,
  model: ResourceModel,
  inputs: Values,
  priorPrivate: Buffer,
): Diagnostic[] {
  const replaced = replacedOf(priorPrivate);
  if (!replaced) return [];
  const turnedOff = inputs["deletion_protection"] !== true;
  const { refused } = session.planning.plannedDelete(model.kind, replaced, { turnedOff });
  return [...said(model, refused, []), ...rightsDiagnostics(session, model, "delete")];
}

/** What is to be said of a new object's name. */
async function plannedNames(
  session: Session,
  model: ResourceModel,
  inputs: Values,
  { config, request }: Pick<Update, "config" | "request">,
): Promise<Foreseen> {
  const replaces = replacedOf(request.prior_private);
  const context = { ...session.reading(identityOf(config)), replans: session.replans };
  const options = { ...context, ...(replaces && { replaces }) };
  return session.planning.plannedNames(model.kind, inputs, options);
}

/** What the key may not do. */
function rightsDiagnostics(
  session: Session,
  model: ResourceModel,
  planned: Parameters<Planning["plannedRights"]>[1],
): Diagnostic[] {
  const { refused, notes } = session.planning.plannedRights(model.kind, planned);
  return said(model, refused, notes);
}

const said = (
  { attributes }: ResourceModel,
  refused: Message | undefined,
  notes: readonly Message[],
): Diagnostic[] => [
  ...(refused ? [refusal(attributes, refused)] : []),
  ...notes.map((note) => warning(attributes, note)),
];

interface Update {
  readonly config: RawObject;
  readonly prior: RawObject;
  readonly inputs: Values;
  readonly request: PlanRequest;
}

async function planUpdate(
  session: Session,
  model: ResourceModel,
  { config, prior, inputs, request }: Update,
): Promise<PlanResponse> {
  const engine = session.planning;
  const state = stateOf(model, prior, request.prior_private);
  const difference = await engine.diff(model.kind, state, inputs, identityOf(config));
  const values = engine.plannedUpdate(model.kind, state, inputs, difference);
  const planned = difference.replace ? values : { ...values, id: state.id };
  const unmanaged = asImported(model, prior, state, difference);
  return {
    planned_state: writeObject(plannedObject(model, config, planned, { prior, unmanaged })),
    requires_replace: replacePaths(model, difference),
    planned_private: plannedBytes(state),
    // That of a new object is known once it is created.
    planned_identity: difference.replace ? undefined : request.prior_identity,
    diagnostics: [
      ...updateDiagnostics(
        model,
        session.unexplained(refusalOf(model, state, difference)),
        difference,
        state,
      ),
      ...(difference.replace ? [] : said(model, undefined, leftOut(model, config, state))),
      ...(difference.replace
        ? said(model, undefined, engine.plannedDelete(model.kind, state).notes)
        : []),
      ...rightsDiagnostics(session, model, { prior: state, inputs, difference }),
    ],
  };
}

/** Terraform stores a state that did not change only where it was refreshed. */
const refusalOf = ({ kind }: ResourceModel, state: State, difference: Diff): Message | undefined =>
  difference.refused ??
  (difference.rewrites
    ? message("rewritten_by_refresh", {
        subject: { kind: kind.name, id: state.id },
        from: state.private.account.baseUrl,
      })
    : undefined);

/** The value of the prior state that is planned unchanged; null for none. */
type Unmanaged = (name: string) => Raw;

/**
 * An imported value stays as it is while the engine sees no difference: the service may return more
 * of it than the program gives.
 */
const asImported =
  (model: ResourceModel, prior: RawObject, state: State, difference: Diff): Unmanaged =>
  (name) => {
    const changed = difference.changes.some(({ path: [head] }) => head === name);
    const foreign = Object.hasOwn(model.kind.fields, name) && !state.private.managed.includes(name);
    return foreign && !changed ? memberOf(prior, name) : null;
  };

interface Before {
  readonly prior: RawObject | null;
  readonly unmanaged: Unmanaged;
}
const NOTHING_BEFORE: Before = { prior: null, unmanaged: () => null };

/** Every attribute: as the program gives it, and otherwise as the engine plans it. */
function plannedObject(
  model: ResourceModel,
  config: RawObject,
  values: Values,
  { prior, unmanaged }: Before,
): RawObject {
  const raw: Record<string, Raw> = {};
  const unkept = unkeptFields(model, config);
  for (const { name, type, mode, writeOnly } of model.attributes) {
    const given = memberOf(config, name);
    const before = nullOf(prior, name);
    const now = nullOf(config, name);
    // OpenTofu wants this null back with the type that it was given with.
    if (writeOnly) raw[name] = now === undefined ? (before ?? null) : now;
    else if (unkept.has(name)) raw[name] = null;
    else if (name === "id") raw[name] = fromPlain(type, values["id"] ?? UNKNOWN);
    else if (mode !== "computed" && given !== null) raw[name] = unmanaged(name) ?? given;
    else if (mode === "optional") raw[name] = null;
    else {
      // A null of another type than before is a change to the engines.
      const none = before === undefined ? (now ?? null) : before;
      raw[name] = fromPlain(type, values[name]) ?? unmanaged(name) ?? none;
    }
  }
  if (model.timeouts.length > 0) raw[TIMEOUTS] = memberOf(config, TIMEOUTS);
  return raw;
}

const replacePaths = (model: ResourceModel, difference: Diff): AttributePath[] => {
  const heads = difference.changes.flatMap(({ replace, path: [head] }) =>
    replace && typeof head === "string" ? [head] : [],
  );
  return [...new Set(heads)].flatMap((head) => pathOf(model.attributes, [head]) ?? []);
};

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** What the program gave before and the service keeps: the plan has no change that would show it. */
const leftOut = ({ kind }: ResourceModel, config: RawObject, state: State): Message[] =>
  kind.inputs.flatMap(([name, { origin }]) => {
    const value = state.values[name];
    const isKept = value !== undefined && value !== false && !isEmptyList(value);
    const isLeft = memberOf(config, name) === null && state.private.managed.includes(name);
    if (origin !== "service" || !isKept || !isLeft) return [];
    const clear = Array.isArray(value) ? "[]" : value === true ? "false" : undefined;
    const subject = { kind: kind.name, id: state.id };
    return message("left_out", { subject, clear }, { subject, path: [name] });
  });

function updateDiagnostics(
  model: ResourceModel,
  refused: Message | undefined,
  difference: Diff,
  { id }: State,
): Diagnostic[] {
  const subject = { kind: model.kind.name, id };
  const reasons = difference.changes.flatMap(({ reason }) => reason ?? []);
  return [
    ...(refused ? [refusal(model.attributes, refused)] : []),
    ...[...difference.notes, ...reasons].map((each) =>
      warning(model.attributes, { subject, ...each }),
    ),
  ];
}
