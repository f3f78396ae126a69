/** Checking a configuration, and planning it. */
import type { Values } from "../../../contract";
import { check, UNKNOWN, type Checked } from "../../../resources";
import { checkDeclared, diff, plannedCreate, plannedDelete, plannedNames } from "../../../engine";
import { plannedRights, plannedUpdate } from "../../../engine";
import type { Diff, Planned, Seen, Shown, State } from "../../../engine";
import { pathOf, protectedInState, refusals, diagnosticsOf } from "../../diagnostics";
import { readObject, writeObject } from "../../values/dynamic";
import type { ResourceModel } from "../../schema/model";
import { message, type Message } from "../../../messages";
import { TIMEOUTS } from "../../names";
import { identityOf, inputsOf, ownIssues, plannedBytes, replacedOf } from "../../values/state";
import { stateOf, withFirstIdentity, withNamesakes } from "../../values/state";
import { fromPlain, memberOf, nullOf } from "../../values/values";
import { asWritten } from "../../values/written";
import type { AttributePath, Diagnostic, PlanRequest, PlanResponse } from "../../wire/messages.gen";
import type { TypedConfigRequest } from "../../wire/messages.gen";
import type { Raw, RawObject } from "../../wire/msgpack";
import type { Session } from "../session";

export async function validateResource(
  session: Session,
  { type_name, config }: TypedConfigRequest,
): Promise<{ diagnostics: Diagnostic[] }> {
  const model = session.model(type_name);
  const given = readObject(config);
  if (given === null) return { diagnostics: [] };
  const contract = session.engine?.contract ?? session.plainContract;
  const checked = (inputs: Values) => check(contract, model.kind, inputs);
  const { diagnostics } = checkInputs(model, checked, { config: given, prior: null });
  return { diagnostics };
}

export async function planResourceChange(
  session: Session,
  request: PlanRequest,
): Promise<PlanResponse> {
  const model = session.model(request.type_name);
  const prior = readObject(request.prior_state);
  const given = readObject(request.config);
  try {
    if (given === null) return await planDelete(session, model, prior, request);
    const config = withFirstIdentity(given, prior);
    return prior === null
      ? await planCreate(session, model, { config, request })
      : await planUpdate(session, model, { config, prior, request });
  } catch (error) {
    return { diagnostics: session.tell(`Planning ${model.typeName}`, model.attributes, error) };
  }
}

interface Asked {
  readonly config: RawObject;
  readonly request: PlanRequest;
}

/** Shows the engine the program's inputs, and what Terraform shows of the resource. */
function observe<N extends boolean = false>(
  session: Session,
  { kind }: ResourceModel,
  shown: Shown<N>,
): Promise<Seen<NoInfer<N>>> {
  const options = { ...session.reading(shown.identity), replans: session.replans };
  return session.planning.observe(kind, shown, options);
}

async function planCreate(
  session: Session,
  model: ResourceModel,
  { config, request: { prior_private: own } }: Asked,
): Promise<PlanResponse> {
  const replaced = replacedOf(own);
  const seen = await observe(session, model, {
    ...{ identity: identityOf(config), hasState: false, replaces: replaced },
    ...{ declared: inputsOf(model, config, null), names: true },
  });
  const checked = (given: Values) => checkDeclared(seen, given);
  const { inputs, diagnostics } = checkInputs(model, checked, { config, prior: null });
  if (diagnostics.length > 0) return { diagnostics };
  const planned = plannedCreate(model.kind, inputs);
  const names = session.planning.tell(plannedNames(seen, inputs));
  return {
    planned_state: writeObject(plannedObject(model, config, planned, NOTHING_BEFORE)),
    // Terraform passes this on to the delete that begins a replacement, or else to the create.
    planned_private: withNamesakes(own, names.namesakes ?? []),
    diagnostics: [
      ...planReplacement(session, model, { inputs, seen, replaced }),
      ...rightsDiagnostics(session, model, seen, { creates: inputs }),
      ...diagnosticsOf(model.attributes, names),
    ],
  };
}

/** What a check finds in the program's inputs, and the provider itself, where it was written. */
function checkInputs(
  model: ResourceModel,
  checked: (given: Values) => Checked,
  { config, prior }: { readonly config: RawObject; readonly prior: RawObject | null },
): { inputs: Values; diagnostics: Diagnostic[] } {
  const given = inputsOf(model, config, prior);
  const { inputs, issues } = checked(given);
  const written = issues.map((issue) => asWritten(model, config, given, issue));
  return {
    inputs,
    diagnostics: refusals(model.attributes, [...ownIssues(model, config), ...written]),
  };
}

async function planDelete(
  session: Session,
  model: ResourceModel,
  prior: RawObject | null,
  { prior_private, prior_identity }: PlanRequest,
): Promise<PlanResponse> {
  const answer = {
    planned_state: writeObject(null),
    planned_private: prior_private,
    planned_identity: prior_identity,
  };
  if (prior === null) return { ...answer, diagnostics: [] };
  const state = stateOf(model, prior, prior_private);
  const seen = await session.planning.observe(model.kind, { replaces: state });
  const { refused: why, notes } = plannedDelete(seen, state);
  const refused = session.unexplained(why && protectedInState(why, false));
  return {
    ...answer,
    diagnostics: [
      ...diagnosticsOf(model.attributes, { refused, notes }),
      ...rightsDiagnostics(session, model, seen, "delete"),
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
  { inputs, seen, replaced }: { inputs: Values; seen: Seen; replaced: State | undefined },
): Diagnostic[] {
  if (!replaced) return [];
  const { refused } = plannedDelete(seen, replaced, inputs["deletion_protection"] !== true);
  return [
    ...diagnosticsOf(model.attributes, { refused, notes: [] }),
    ...rightsDiagnostics(session, model, seen, "delete"),
  ];
}

const rightsDiagnostics = (
  session: Session,
  { attributes }: ResourceModel,
  seen: Seen,
  planned: Planned,
): Diagnostic[] => diagnosticsOf(attributes, session.planning.tell(plannedRights(seen, planned)));

async function planUpdate(
  session: Session,
  model: ResourceModel,
  { config, prior, request }: Asked & { readonly prior: RawObject },
): Promise<PlanResponse> {
  const state = stateOf(model, prior, request.prior_private);
  const seen = await observe(session, model, {
    ...{ identity: identityOf(config), hasState: true, prior: state },
    declared: inputsOf(model, config, prior),
  });
  const checked = (given: Values) => checkDeclared(seen, given);
  const { inputs, diagnostics } = checkInputs(model, checked, { config, prior });
  if (diagnostics.length > 0) return { diagnostics };
  const difference = diff(seen, state, inputs);
  const values = plannedUpdate(model.kind, state, inputs, difference);
  const planned = difference.replace ? values : { ...values, id: state.id };
  const unmanaged = asImported(model, prior, state, difference);
  const subject = { kind: model.kind.name, id: state.id };
  const reasons = difference.changes.flatMap(({ reason }) => reason ?? []);
  const notes = [
    ...[...difference.notes, ...reasons].map((each) => ({ subject, ...each })),
    ...(difference.replace ? plannedDelete(seen, state).notes : leftOut(model, config, state)),
  ];
  const refused = session.unexplained(refusalOf(model, state, difference));
  return {
    planned_state: writeObject(plannedObject(model, config, planned, { prior, unmanaged })),
    requires_replace: replacePaths(model, difference),
    planned_private: plannedBytes(state),
    // That of a new object is known once it is created.
    planned_identity: difference.replace ? undefined : request.prior_identity,
    diagnostics: [
      ...diagnosticsOf(model.attributes, { refused, notes }),
      ...rightsDiagnostics(session, model, seen, { prior: state, inputs, difference }),
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
    const isInput = (model.kind.fields[name]?.use ?? "output") !== "output";
    const foreign = isInput && !state.private.managed.includes(name);
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
  for (const { name, type, mode, writeOnly } of model.attributes) {
    const given = memberOf(config, name);
    const before = nullOf(prior, name);
    const now = nullOf(config, name);
    // OpenTofu wants this null back with the type that it was given with.
    if (writeOnly) raw[name] = now === undefined ? (before ?? null) : now;
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
