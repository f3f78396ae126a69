/** A program's inputs as an operation uses them: what is sent, what is fixed, what is waited for. */
import { isRecord, ownMember, type Values } from "../../contract";
import { message } from "../../messages";
import { BAGS, check, hasUnknown, type Kind } from "../../resources";
import { engineError } from "../errors";
import type { Change, Scope, State } from "../types";
import type { Made } from "./time";
import { covers } from "./compare";

/** What a create sends of these inputs: fields of the service, and the free ones of both bags. */
export function sentFields(kind: Kind, inputs: Values) {
  const { properties: open, secret_properties: secret } = inputs;
  const own = Object.entries(inputs).filter(([name]) => kind.fields[name]?.origin === "service");
  const properties: Values = { ...(isRecord(open) && open), ...(isRecord(secret) && secret) };
  return { fields: Object.fromEntries(own), properties };
}

/** Inputs that the engine follows and the service is not sent; undefined where one is not given. */
export const optionValues = (kind: Kind, inputs: Values): Values =>
  Object.fromEntries(
    Object.entries(kind.fields)
      .filter(([, field]) => field.origin === "option")
      .map(([name]) => [name, inputs[name]]),
  );

/** What no update can change: it tells a replacement from an edit. */
export const fixedOf = ({ inputs: fields, reading }: Kind, inputs: Values): Values =>
  Object.fromEntries(
    fields
      .filter(([name, field]) => field.immutable || (reading.replaceOn ?? []).includes(name))
      .filter(([name]) => inputs[name] !== undefined)
      .map(([name]) => [name, inputs[name]]),
  );

/** Whether a record may be what these inputs led to: what no update can change is the same. */
export const isFixedAlike = (kind: Kind, inputs: Values, { fields }: Made): boolean =>
  Object.entries(sentFields(kind, fixedOf(kind, inputs)).fields).every(
    ([name, value]) => hasUnknown(value) || covers(value, fields[name]),
  );

type ScopeOfKind = Pick<Scope, "contract" | "kind">;

/** What an update sends of these changes, and the paths of it. */
export function patchBody(
  { contract, kind }: ScopeOfKind,
  inputs: Values,
  changes: readonly Change[],
) {
  const fields: Record<string, unknown> = {};
  const properties = new Map<string, unknown>();
  const sent = new Set<string>();
  for (const { path } of changes) {
    const [head, key] = path;
    const name = String(head);
    const { [name]: field } = kind.fields;
    if (field?.origin === "service" && name in inputs) {
      fields[name] = inputs[name];
      sent.add(name);
    } else if (BAGS.includes(name) && typeof key === "string") {
      const { properties: free } = sentFields(kind, inputs);
      // A key that is no longer given stays as it is, or is set to null where the profile says so.
      if (!Object.hasOwn(free, key) && contract.unset === "omit") continue;
      properties.set(key, ownMember(free, key) ?? null);
      sent.add(`${name}.${key}`);
    }
  }
  return { fields, properties: Object.fromEntries(properties), sent };
}

/** Whether a state is one in which an object never becomes ready. */
export function isFailed({ contract, kind }: ScopeOfKind, status: unknown): boolean {
  const states = kind.resource && contract.resources[kind.resource].states;
  return (states?.failed ?? []).some((end) => String(status).endsWith(end));
}

/**
 * The states of a kind, with those as ready that the program names, or else the service; undefined
 * where nothing is waited for.
 * @param prior of an update: what was neither ready nor failed before, such as a server that somebody
 * stopped, need never become ready, and is not waited for
 */
export function awaitedStates(scope: ScopeOfKind, inputs: Values, prior?: State) {
  const { contract, kind } = scope;
  const states = kind.resource && contract.resources[kind.resource].states;
  if (!states || inputs["wait"] === false) return undefined;
  const { ready_states: wanted } = inputs;
  const ready: readonly string[] = Array.isArray(wanted) ? wanted.map(String) : states.ready;
  const { status } = prior?.values ?? {};
  const isSettled = typeof status !== "string" || ready.includes(status) || isFailed(scope, status);
  return isSettled ? { ...states, ready } : undefined;
}

/** The last line behind the faces, which check first. @throws EngineError `invalid_input` */
export function validInputs({ contract, kind }: Scope, declared: Values): Values {
  const { inputs, issues } = check(contract, kind, declared);
  const about = { subject: { kind: kind.name }, path: issues[0]?.path };
  if (issues.length > 0) throw engineError("invalid_input", { issues }, about);
  if (!hasUnknown(inputs)) return inputs;
  throw engineError("invalid_input", { issues: [message("still_unknown", { kind: kind.name })] });
}
