/** Between Terraform's objects and the engine's inputs and states. */
import { DURATION_EXPECTED, durationMs, isRecord, issueAt, jsonOf } from "../../contract";
import type { InputIssue, Values } from "../../contract";
import { UNKNOWN } from "../../resources";
import type { Private, State } from "../../engine";
import { message, type Subject } from "../../messages";
import { ProviderError } from "../diagnostics";
import { attributeNamed, type Attribute, type ResourceModel } from "../schema/model";
import { IDENTITY, TIMEOUTS } from "../names";
import { fromPlainLike, inexactNumber, memberOf, samePlain, toPlain } from "./values";
import { isRawObject, type Raw, type RawObject } from "../wire/msgpack";

export const plainOf = (attribute: Attribute, raw: RawObject | null): unknown =>
  toPlain(attribute.type, memberOf(raw, attribute.name));

/** The program's inputs, for the engine. Write-only values are included when they are to be sent. */
export function inputsOf(
  model: ResourceModel,
  config: RawObject,
  prior: RawObject | null,
): Record<string, unknown> {
  const inputs: Record<string, unknown> = {};
  for (const [name] of model.kind.inputs) {
    const attribute = attributeNamed(model.attributes, name);
    const value = attribute && plainOf(attribute, config);
    if (value !== undefined) inputs[name] = value;
  }
  for (const { field, attribute, version } of model.writeOnly) {
    const definition = attributeNamed(model.attributes, attribute);
    const value = definition && plainOf(definition, config);
    const again =
      prior === null ||
      memberOf(prior, field) !== null || // Plain until now: left out, it might be cleared.
      !samePlain("string", memberOf(prior, version) ?? "", memberOf(config, version) ?? "");
    if (value !== undefined && again) inputs[field] = value;
  }
  return inputs;
}

/** Whether the program gives a value; one that is not known yet may turn out to be null. */
function isGiven({ attributes }: ResourceModel, config: RawObject | null, name: string): boolean {
  const attribute = attributeNamed(attributes, name);
  const value = attribute && plainOf(attribute, config);
  return value !== undefined && value !== UNKNOWN;
}

/** Fields whose value was given as write-only, so no state may hold it. */
export const unkeptFields = (model: ResourceModel, config: RawObject | null): ReadonlySet<string> =>
  new Set(
    model.writeOnly
      .filter(({ attribute }) => isGiven(model, config, attribute))
      .map(({ field }) => field),
  );

/** Mistakes that only this provider can see. */
export function ownIssues(model: ResourceModel, config: RawObject): InputIssue[] {
  return [
    ...model.writeOnly
      .filter(
        ({ field, attribute }) =>
          isGiven(model, config, attribute) && isGiven(model, config, field),
      )
      .map(({ field, attribute }) => issueAt([attribute], "plain_and_write_only", { field })),
    ...model.attributes.flatMap(({ name, type, sensitive = false, writeOnly = false }) => {
      const number = inexactNumber(type, memberOf(config, name));
      const shown = sensitive || writeOnly ? {} : { number };
      return number === undefined ? [] : [issueAt([name], "inexact_number", shown)];
    }),
    ...timeoutEntries(model, config)
      .filter(([, text]) => typeof text === "string" && !durationMs(text))
      .map(([operation]) =>
        issueAt([TIMEOUTS, operation], "wrong_form", { expected: DURATION_EXPECTED }),
      ),
  ];
}

function timeoutEntries(model: ResourceModel, raw: RawObject | null): [string, Raw][] {
  const block = memberOf(raw, TIMEOUTS);
  return isRawObject(block)
    ? model.timeouts.map((operation) => [operation, memberOf(block, operation)])
    : [];
}

/** Milliseconds that an operation may take; undefined where the program does not say. */
export function timeoutOf(model: ResourceModel, raw: RawObject, of: string): number | undefined {
  const text = timeoutEntries(model, raw).find(([name]) => name === of)?.[1];
  return typeof text === "string" ? durationMs(text) : undefined;
}

/** The token of an object, where the program gives one. */
export function identityOf(raw: RawObject | null): string | undefined {
  const token = memberOf(raw, IDENTITY);
  return typeof token === "string" && token !== "" ? token : undefined;
}

/** The token of an object that was found rather than created. */
export const NAMELESS = { [IDENTITY]: "" };

/**
 * The metadata of an object of which only the id is known until it is read: one that was moved from
 * another type, before the account is known, and one whose delete failed after the engines had asked
 * for it without its metadata.
 */
export const UNREAD = Buffer.from('{"unread":true}', "utf8");

/** What another provider recorded of an object that a `moved` block brought. */
export interface Recorded {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly created_at?: unknown;
}

/** Whether anything tells the object from another one of its id. */
export const isRecorded = ({ name, created_at }: Recorded): boolean =>
  typeof name === "string" || typeof created_at === "string";

/** The same metadata of such an object: no list may lack it, and what was recorded has to be true. */
export const movedBytes = ({ id, name, created_at }: Recorded): Buffer =>
  Buffer.from(JSON.stringify({ unread: true, moved: { id, name, created_at } }), "utf8");

/** Whether an object is still to be read, and what is recorded where another provider's was moved. */
export function unreadOf(bytes: Buffer): { readonly moved?: Recorded } | undefined {
  const { unread, moved } = membersIn(bytes) ?? {};
  if (isRecord(moved)) return { moved };
  return unread === true ? {} : undefined;
}

/** The configuration, with the identity that the object was created under. */
export function withFirstIdentity(config: RawObject, prior: RawObject | null): RawObject {
  const first = memberOf(prior, IDENTITY);
  return first === null ? config : { ...config, [IDENTITY]: first };
}

export function subjectOf({ kind }: ResourceModel, raw: RawObject): Subject {
  const [id, name] = [memberOf(raw, "id"), memberOf(raw, "name")];
  return {
    kind: kind.name,
    ...(typeof id === "string" && { id }),
    ...(typeof name === "string" && { name }),
  };
}

/** The state as the engine knows it. @throws ProviderError where this provider did not write it */
export function stateOf(model: ResourceModel, raw: RawObject, bytes: Buffer): State {
  const id = memberOf(raw, "id");
  if (unreadOf(bytes)) {
    throw new ProviderError(message("state_not_read", { subject: subjectOf(model, raw) }));
  }
  const stored = storedPrivate(bytes);
  if (typeof id !== "string" || !stored) {
    throw new ProviderError(message("state_without_metadata", { subject: subjectOf(model, raw) }));
  }
  const { replaced: _, ...own } = stored;
  return { id, values: valuesOf(model, raw), private: own };
}

export function valuesOf(model: ResourceModel, raw: RawObject): Values {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(model.kind.fields)) {
    const attribute = attributeNamed(model.attributes, name);
    const value = attribute && plainOf(attribute, raw);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

interface StoredPrivate extends Private {
  readonly replaced?: Pick<State, "id" | "values">;
}

function storedPrivate(bytes: Buffer): StoredPrivate | undefined {
  const value = membersIn(bytes);
  // Written by this provider; the engine checks the account in it.
  return isRecord(value?.["account"]) ? (value as unknown as StoredPrivate) : undefined;
}

/** What bytes hold as a JSON object; undefined where they are none. */
export function membersIn(bytes: Buffer | undefined): Values | undefined {
  const value = jsonOf(bytes?.toString("utf8"));
  return isRecord(value) ? value : undefined;
}

export const privateBytes = (own: Private): Buffer => Buffer.from(JSON.stringify(own), "utf8");

/** What decides over the delete of an object, and which key it has now: none of it is secret. */
const DELETE_FIELDS = ["name", "status", "deletion_protection", "current_key_id"];

/**
 * The metadata that a plan of an existing object answers. To plan a replacement the engines ask once
 * more, without the prior state and with this: what decides over the delete has to be in it.
 */
export function plannedBytes({ id, values, private: own }: State): Buffer {
  const members = DELETE_FIELDS.map((name) => [name, values[name]] as const);
  const replaced = { id, values: Object.fromEntries(members) };
  return Buffer.from(JSON.stringify({ ...own, replaced }), "utf8");
}

/** The object that is replaced, as far as `plannedBytes` tells; undefined for a new object. */
export function replacedOf(bytes: Buffer): State | undefined {
  const own = storedPrivate(bytes);
  if (!own?.replaced) return undefined;
  const { replaced, ...rest } = own;
  return { ...replaced, private: rest };
}

/** Metadata of a planned create: an apply of a saved plan is not shown the objects of its name. */
export const withNamesakes = (bytes: Buffer, namesakes: readonly string[]): Buffer =>
  namesakes.length === 0
    ? bytes
    : Buffer.from(JSON.stringify({ ...membersIn(bytes), namesakes }), "utf8");

/** Whether nothing of the object itself is in it: the engines leave that out of a tainted one's plan. */
export const isOfTainted = (bytes: Buffer): boolean =>
  bytes.length === 0 || Object.keys(membersIn(bytes) ?? {}).join() === "namesakes";

export function namesakesOf(bytes: Buffer): readonly string[] {
  const namesakes = membersIn(bytes)?.["namesakes"];
  return Array.isArray(namesakes) ? namesakes.map(String) : [];
}

export interface Like {
  /** The provider's own attributes are taken from here, and so are equal values. */
  readonly like: RawObject | null;
  /** Fields that no state may hold. */
  readonly unkept?: ReadonlySet<string>;
}

export function objectOf(
  model: ResourceModel,
  id: unknown,
  values: Values,
  { like, unkept }: Like,
): RawObject {
  const raw: Record<string, Raw> = {};
  for (const { name, type, writeOnly } of model.attributes) {
    // With its type where it is null: the engines compare that too.
    const hint = like?.[name] ?? null;
    if (writeOnly || unkept?.has(name)) raw[name] = fromPlainLike(type, null, hint);
    else if (name === "id") raw[name] = fromPlainLike(type, id, hint);
    else if (!Object.hasOwn(model.kind.fields, name)) raw[name] = hint;
    else raw[name] = fromPlainLike(type, values[name], hint);
  }
  if (model.timeouts.length > 0) raw[TIMEOUTS] = memberOf(like, TIMEOUTS);
  return raw;
}
