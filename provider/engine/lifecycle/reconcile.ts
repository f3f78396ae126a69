/**
 * From a record to what a state shows. Where the service answers a value otherwise than it was
 * sent, the configured one is shown while the service's answer stays the same.
 */
import { createHash } from "node:crypto";
import type { Account } from "../../client/api";
import {
  canonicalJson,
  isRecord,
  type Contract,
  type ServiceRecord,
  type Values,
} from "../../contract";
import type { Kind } from "../../resources";
import { covers } from "../planning/compare";
import type { Private, State } from "../types";
import { hasUnknown } from "../planning/unknown";

type Echo = Record<string, readonly [sent: string, got: string]>;
const PROPERTIES = ["properties", "secret_properties"] as const;

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

export interface Ours {
  readonly contract: Contract;
  readonly account: Account;
  readonly kind: Kind;
}

/**
 * After a create or an update. `sent` names what was in the request, as `name` or
 * `properties.key`; whatever comes back for those is the service's echo.
 */
export function afterWrite(
  ours: Ours,
  inputs: Values,
  record: ServiceRecord,
  sent: ReadonlySet<string>,
  prior?: State,
): Reconciled {
  const echo: Echo = {};
  const show = (path: string, wanted: unknown, got: unknown, field = {}): unknown => {
    if (covers(wanted, got, field)) return wanted;
    const known = prior !== undefined && isEcho(prior, path, wanted, got);
    if (!sent.has(path) && !known) return got;
    echo[path] = [hash(wanted), hash(got)];
    return wanted;
  };
  const values: Record<string, unknown> = { ...engineValues(ours.kind, prior) };
  for (const [name, field] of Object.entries(ours.kind.fields)) {
    if (field.origin === "option") {
      if (inputs[name] !== undefined) values[name] = inputs[name];
    } else if (field.origin === "service" && name !== "value") {
      const got = record.fields[name];
      values[name] = inputs[name] === undefined ? got : show(name, inputs[name], got, field);
    }
  }
  for (const bag of PROPERTIES) {
    const wanted = inputs[bag];
    if (!isRecord(wanted)) continue;
    values[bag] = Object.fromEntries(
      Object.entries(wanted).map(([key, value]) => [
        key,
        show(`${bag}.${key}`, value, record.properties[key]) ?? null,
      ]),
    );
  }
  return finish(ours, values, Object.keys(inputs), echo);
}

/** After a read: the state's values where the service still agrees with them, else the service's. */
export function afterRead(ours: Ours, prior: State, record: ServiceRecord): Reconciled {
  const show = (path: string, now: unknown, got: unknown, field = {}): unknown => {
    return covers(now, got, field) || isEcho(prior, path, now, got) ? now : got;
  };
  const managed = new Set(prior.private.managed);
  const values: Record<string, unknown> = { ...prior.values };
  for (const [name, field] of Object.entries(ours.kind.fields)) {
    if (field.origin !== "service" || name === "value") continue;
    const got = record.fields[name];
    values[name] = managed.has(name) ? show(name, prior.values[name], got, field) : got;
  }
  for (const bag of PROPERTIES) {
    const now = prior.values[bag];
    if (!isRecord(now)) continue;
    values[bag] = Object.fromEntries(
      Object.entries(now).map(([key, value]) => [
        key,
        show(`${bag}.${key}`, value, record.properties[key]) ?? null,
      ]),
    );
  }
  return finish(ours, values, prior.private.managed, prior.private.echo);
}

/** Of an object that no state had: everything as the service says. */
export const afterImport = (ours: Ours, record: ServiceRecord): Reconciled =>
  finish(
    ours,
    {
      ...Object.fromEntries(
        Object.entries(ours.kind.fields)
          .filter(([name, field]) => field.origin === "service" && name !== "value")
          .map(([name]) => [name, record.fields[name]]),
      ),
      properties: foundProperties(record.properties),
    },
    [],
    {},
  );

/** Names that say that a secret is meant; what they hold is in no open map. */
const SECRET_NAME =
  /pass(word|phrase|wd)?|secret|token|credential|private|licen[cs]e|(^|[_-])key$|apiKey$/i;

/**
 * Free fields as an import finds them, so that a program which sets some of them finds them equal.
 * Which of them a program calls secret is not known here, so names decide. Undefined: none.
 */
function foundProperties(properties: Values): Values | undefined {
  const hidden = new Set(secretNames(properties));
  const open = Object.entries(properties).filter(([name]) => !hidden.has(name));
  return open.length === 0 ? undefined : Object.fromEntries(open);
}

/** Free fields whose name, or a name in whose value, says that a secret is meant. */
export const secretNames = (properties: Values): string[] =>
  Object.keys(properties).filter((name) => SECRET_NAME.test(name) || namesSecret(properties[name]));

const namesSecret = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(namesSecret)
    : isRecord(value) &&
      Object.entries(value).some(([name, inner]) => SECRET_NAME.test(name) || namesSecret(inner));

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
export const finish = (
  { contract, account }: Ours,
  values: Values,
  managed: readonly string[],
  echo: Echo,
): Reconciled => ({
  values: present(values),
  private: {
    account: { baseUrl: account.baseUrl, environment: account.environment },
    profile: contract.hash,
    managed: [...managed].sort(),
    echo,
  },
});
