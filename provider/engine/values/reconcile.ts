/**
 * From a record to what a state shows. Where the service answers another value than it was sent,
 * the configured one is shown while that answer stays the same.
 */
import { createHash } from "node:crypto";
import {
  canonicalJson,
  isRecord,
  openProperties,
  ownMember,
  type ServiceRecord,
  type Values,
} from "../../contract";
import type { Kind } from "../../resources";
import { covers } from "./compare";
import type { Private, Scope, State } from "../types";
import { BAGS } from "./body";
import { hasUnknown } from "./unknown";

type Echo = Record<string, readonly [sent: string, got: string]>;

const hash = (value: unknown): string =>
  createHash("sha256")
    .update(canonicalJson(value ?? null))
    .digest("base64url")
    .slice(0, 16);

/**
 * Whether `now` is the service's own form of `wanted`: what it answered when it was sent that.
 * `path` is `name` or `properties.key`.
 */
export function isEcho(state: State, path: string, wanted: unknown, now: unknown): boolean {
  const echo = state.private.echo[path];
  if (echo === undefined || hasUnknown(wanted)) return false;
  return echo[0] === hash(wanted) && echo[1] === hash(now);
}

export interface Reconciled {
  readonly values: Values;
  readonly private: Private;
}

interface Write {
  readonly inputs: Values;
  /** What was in the request, as `name` or `properties.key`: its answer is the service's echo. */
  readonly sent: ReadonlySet<string>;
  readonly prior?: State;
}

/** After a create or an update. */
export function afterWrite(
  scope: Scope,
  record: ServiceRecord,
  { inputs, sent, prior }: Write,
): Reconciled {
  const echo: Echo = {};
  const show = (path: string, wanted: unknown, got: unknown, field = {}): unknown => {
    if (covers(wanted, got, field)) return wanted;
    const known = prior !== undefined && isEcho(prior, path, wanted, got);
    if (!sent.has(path) && !known) return got;
    echo[path] = [hash(wanted), hash(got)];
    return wanted;
  };
  const values: Record<string, unknown> = { ...engineValues(scope.kind, prior) };
  for (const [name, field] of Object.entries(scope.kind.fields)) {
    if (field.origin === "option") {
      if (inputs[name] !== undefined) values[name] = inputs[name];
    } else if (field.origin === "service" && name !== "value") {
      const got = record.fields[name];
      values[name] = inputs[name] === undefined ? got : show(name, inputs[name], got, field);
    }
  }
  for (const bag of BAGS) {
    const wanted = inputs[bag];
    if (!isRecord(wanted)) continue;
    values[bag] = Object.fromEntries(
      Object.entries(wanted).map(([key, value]) => [
        key,
        show(`${bag}.${key}`, value, ownMember(record.properties, key)) ?? null,
      ]),
    );
  }
  return reconciled(scope, values, Object.keys(inputs), echo);
}

/** After a read: the state's values where the service still agrees with them, else the service's. */
export function afterRead(scope: Scope, prior: State, record: ServiceRecord): Reconciled {
  const show = (path: string, now: unknown, got: unknown, field = {}): unknown => {
    return covers(now, got, field) || isEcho(prior, path, now, got) ? now : got;
  };
  const managed = new Set(prior.private.managed);
  const values: Record<string, unknown> = { ...prior.values };
  for (const [name, field] of Object.entries(scope.kind.fields)) {
    if (field.origin !== "service" || name === "value") continue;
    const got = record.fields[name];
    values[name] = managed.has(name) ? show(name, prior.values[name], got, field) : got;
  }
  for (const bag of BAGS) {
    const now = prior.values[bag];
    if (!isRecord(now)) continue;
    values[bag] = Object.fromEntries(
      Object.entries(now).map(([key, value]) => [
        key,
        show(`${bag}.${key}`, value, ownMember(record.properties, key)) ?? null,
      ]),
    );
  }
  return reconciled(scope, values, prior.private.managed, prior.private.echo);
}

/** Of an object that no state had: everything as the service says. */
export const afterImport = (scope: Scope, record: ServiceRecord): Reconciled =>
  reconciled(
    scope,
    {
      ...Object.fromEntries(
        Object.entries(scope.kind.fields)
          .filter(([name, field]) => field.origin === "service" && name !== "value")
          .map(([name]) => [name, record.fields[name]]),
      ),
      properties: openProperties(record.properties),
    },
    [],
    {},
  );

const engineValues = (kind: Kind, prior: State | undefined): Values =>
  Object.fromEntries(
    Object.entries(prior?.values ?? {}).filter(
      ([name]) => kind.fields[name]?.origin === "engine" || name === "value",
    ),
  );

/** Values without members that are absent: hosts have no undefined. */
export const present = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null),
  );

/** The members of a state that are the same however it came about. */
export const reconciled = (
  { contract, account }: Scope,
  values: Values,
  managed: readonly string[],
  echo: Echo,
): Reconciled => ({
  values: present(values),
  private: {
    account,
    profile: contract.hash,
    managed: [...managed].sort(),
    echo,
  },
});
