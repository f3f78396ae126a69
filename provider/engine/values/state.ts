/** What a state says of its object: as configured, while the service's answer to that stays. */
import { createHash } from "node:crypto";
import { canonicalJson, hasMask, isRecord, openProperties, ownMember } from "../../contract";
import type { ServiceRecord, Values } from "../../contract";
import type { Subject } from "../../messages";
import type { EngineOptions, Private, Scope, State } from "../types";
import { BAGS, hasUnknown, present, type Kind, type KindField } from "../../resources";
import { covers } from "./compare";
import { isFailed } from "./inputs";

/** The status of an object that the service no longer keeps, and that the state does. */
export const EXPIRED = "expired";

/** Another kind's status of that name is the service's own, of an object that is there. */
export const hasExpired = ({ reading }: Kind, { values }: Pick<State, "values">): boolean =>
  reading.whenGone === "expire" && values["status"] === EXPIRED;

/** The id that lists show now: a rotated key is patched, rotated and deleted under this one. */
export const currentId = ({ id, values }: State): string => {
  const current = values["current_key_id"];
  return typeof current === "string" ? current : id;
};

/** An object, for messages. A name that is not a text is not known yet. */
export const subjectOf = (kind: string, id: string, name?: unknown): Subject => ({
  kind,
  id,
  ...(typeof name === "string" && { name }),
});

const hash = (value: unknown): string =>
  createHash("sha256")
    .update(canonicalJson(value ?? null))
    .digest("base64url")
    .slice(0, 16);

/** Whether `now` is what the service answered to `wanted` at `path`: `name` or `properties.key`. */
export function isEcho(state: State, path: string, wanted: unknown, now: unknown): boolean {
  const echo = state.private.echo[path];
  if (echo === undefined || hasUnknown(wanted)) return false;
  return echo[0] === hash(wanted) && echo[1] === hash(now);
}

/** A value whatever its case and type: services write `true` as `"true"`, and `Gold` as `gold`. */
const formOf = (value: unknown): string => String(value).trim().toLowerCase();

/** The value at `name` or `properties.key`. */
function valueAt(values: Values, path: string): unknown {
  const [name = "", ...key] = path.split(".");
  if (key.length === 0) return values[name];
  return isRecord(values[name]) ? ownMember(values[name], key.join(".")) : undefined;
}

export type Reconciled = Omit<State, "id">;

/** What a state is made under: `settings` where something of its past may have to be counted. */
interface Under extends Scope {
  readonly settings?: Pick<EngineOptions, "scope">;
}

interface Write {
  readonly inputs: Values;
  /** What an update sent, as `name` or `properties.key`; a read has sent nothing. Default all. */
  readonly sent?: ReadonlySet<string>;
  readonly prior?: State;
}

/** After a create or an update. */
export function afterWrite(
  under: Under,
  record: ServiceRecord,
  { inputs, sent, prior }: Write,
): Reconciled {
  const echo: Record<string, Private["echo"][string]> = {};
  const show = (
    path: string,
    { wanted, had, got }: Readonly<Record<"wanted" | "had" | "got", unknown>>,
    { secret, ...sets }: Partial<KindField>,
  ): unknown => {
    const isSent = sent === undefined || sent.has(path);
    const old = prior?.private.echo[path];
    let shown = got;
    // An update may be answered with what changed, or with nothing.
    if (prior && !isSent && sent.size > 0 && got === undefined) shown = had;
    else if (wanted === undefined) return got;
    else if (covers(wanted, got, sets)) return wanted;
    else if (prior && isEcho(prior, path, wanted, got)) shown = wanted;
    else if (!isSent) return got;
    else {
      // What is as before may be an update that was refused. What the service hides always is as
      // before, and what it only writes in another form may be.
      const isHidden = secret === true || got === undefined || got === null || hasMask(got);
      const isAsBefore = covers(had, got, sets) || (prior && isEcho(prior, path, had, got));
      if (!isAsBefore || isHidden || formOf(wanted) === formOf(got)) {
        echo[path] = [hash(wanted), hash(got)];
        return wanted;
      }
    }
    if (old) echo[path] = old;
    return shown;
  };
  const values: Record<string, unknown> = {};
  const { rotates } = under.kind.reading;
  for (const [name, field] of Object.entries(under.kind.fields)) {
    const [wanted, had, got] = [inputs[name], prior?.values[name], record.fields[name]];
    if (field.origin === "engine" || name === "value") values[name] = had;
    else if (field.origin === "option") values[name] = wanted;
    // Of a line of keys, its own beginning: when the current key was created is `rotated_at`.
    else if (name === "created_at" && rotates && had !== undefined) values[name] = had;
    else values[name] = show(name, { wanted, had, got }, field);
  }
  for (const bag of BAGS) {
    const [given, before] = [inputs[bag], prior?.values[bag]];
    if (!isRecord(given)) continue;
    const shown = Object.entries(given).map(([key, wanted]) => {
      const had = isRecord(before) ? ownMember(before, key) : undefined;
      const seen = { wanted, had, got: ownMember(record.properties, key) };
      return [key, show(`${bag}.${key}`, seen, under.kind.fields[bag] ?? {}) ?? null];
    });
    values[bag] = Object.fromEntries(shown);
  }
  return reconciled(under, values, { managed: Object.keys(inputs), echo, prior });
}

/** After a read: the state's values where the service still agrees with them, else the service's. */
export function afterRead(under: Under, prior: State, record: ServiceRecord): Reconciled {
  const { managed, echo } = prior.private;
  const kept = Object.entries(prior.values).filter(
    ([name]) => managed.includes(name) || under.kind.fields[name]?.origin === "option",
  );
  const inputs = Object.fromEntries(kept);
  const { values, private: now } = afterWrite(under, record, { inputs, sent: new Set(), prior });
  // An answer that is another one now may become the old one again, unless it is what was sent.
  const left = Object.entries(echo).filter(
    ([path, [wanted]]) => path in now.echo || wanted !== hash(valueAt(values, path)),
  );
  return reconciled(under, values, { managed, echo: Object.fromEntries(left), prior });
}

/** Of an object that no state had: everything as the service says. */
export function afterImport(scope: Scope, record: ServiceRecord): Reconciled {
  const { values } = afterWrite(scope, record, { inputs: {} });
  const properties = openProperties(record.properties);
  return reconciled(scope, { ...values, properties }, { managed: [], echo: {} });
}

interface Own extends Pick<Private, "managed" | "echo"> {
  readonly prior?: State | undefined;
}

/**
 * A state of these values. It carries on what the state before said, and no record of the service
 * shows. Where a scope is set, it counts how often the guarded field was seen to change: a backup
 * before one change is none before the next, though both look alike.
 */
export function reconciled(
  { contract, account, kind, settings }: Under,
  values: Values,
  { managed, echo, prior }: Own,
): Reconciled {
  const { failed, lost, resumed, generation, account: before } = prior?.private ?? {};
  const guard = settings?.scope === undefined ? undefined : kind.reading.backupBefore?.field;
  const shown = present(values);
  const own = Object.entries(echo).filter(([path]) =>
    path.includes(".") ? valueAt(values, path) !== undefined : managed.includes(path),
  );
  const hasChanged = prior && guard !== undefined && prior.values[guard] !== shown[guard];
  const count = hasChanged ? (generation ?? 0) + 1 : generation;
  return {
    values: shown,
    private: {
      // What the service said of the account once stays true while it says nothing.
      account: { ...(before?.id !== undefined && { id: before.id }), ...account },
      profile: contract.hash,
      managed: [...managed].sort(),
      // Not even a hash of what the program no longer gives.
      echo: Object.fromEntries(own),
      ...(failed === true && isFailed({ contract, kind }, shown["status"]) && { failed }),
      ...(lost === true && { lost }),
      ...(resumed !== undefined && { resumed }),
      ...(count !== undefined && { generation: count }),
    },
  };
}

/** A state that keeps its values, as this run leaves it behind: it says whose it is, and by which profile. */
export function withAccount({ account, contract }: Scope, state: State): State {
  const { id } = state.private.account;
  const own = { account: { ...(id !== undefined && { id }), ...account }, profile: contract.hash };
  return { ...state, private: { ...state.private, ...own } };
}
