/**
 * API keys that rotate, and rotations of keys created elsewhere. An ApiKey's id is its line: the
 * first key's id, for good; `current_key_id` is the key that works now.
 */
import { allows, periodMs, type InputIssue, type ServiceRecord, type Values } from "../../contract";
import { subjectText } from "../../messages";
import { present, type Kind } from "../../resources";
import { engineError, EngineError } from "../errors";
import { lineOf, rotateOnce } from "../evidence/rotate";
import type { Created } from "../evidence/take";
import type { Ledger } from "../ledger";
import type { Operation, Served } from "../service/operation";
import { gone, readObject } from "../service/reading";
import type { Identity, Result, State } from "../types";
import { isOlder, newest } from "../values/time";
import { assertRecipient, keysOfLine, secretValues } from "../values/api-key";
import { afterRead, currentId, reconciled } from "../values/state";

/** Inputs that a rotation takes over into the state. */
const ROTATION_INPUTS = ["triggers", "rotate_after", "recipient", "allow_self_rotation"] as const;

const ROTATION_OF = "rotation-of-";

/** Adds what the engine knows of a key that was just created or imported. */
export async function keyState(
  op: Operation,
  state: State,
  { record, serviceTime }: Created,
  inputs: Values,
): Promise<State> {
  const line = record.fields["lineage_id"];
  const values = present({
    ...state.values,
    current_key_id: record.id,
    rotated_at: record.fields["created_at"] ?? nowOf(op, serviceTime),
    rotation_due: false,
    ...(await secretValues(record.fields["value"], inputs)),
  });
  const id = typeof line === "string" ? line : state.id;
  const { ledger } = op;
  if (id !== record.id) ledger.note({ is: "alias", at: { kind: "api_key", id } });
  ledger.note({ is: "rotates", keyId: record.id, by: rotatorOf({ id }), made: true });
  return { ...state, id, values };
}

/**
 * The key of a line that works now: the current one where the list may not show the last rotation
 * yet, or somebody has deleted its key. `isOurs`: a run that was cut off has rotated it, and the
 * update is answered the same again, with the secret.
 */
async function keyInUse(op: Operation, prior: State, listed: readonly ServiceRecord[]) {
  const current = currentId(prior);
  const last = newest(listed);
  const isBefore = last && isOlder(last, Date.parse(String(prior.values["rotated_at"])));
  const id = last && !isBefore ? last.id : current;
  const isStill = id !== current && listed.some((record) => record.id === current);
  const isOurs = isStill && (await op.journal.hasLeft("rotate", op.kind.name, current));
  return { id, isOurs, last };
}

const toContinue = (prior: State): State => ({
  ...prior,
  values: { ...prior.values, rotation_due: true },
  private: { ...prior.private, lost: true },
});

/** Reads a key by its line. */
export async function readKey(op: Operation<Served>, prior: State): Promise<State | undefined> {
  const { records } = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  const { id, isOurs } = await keyInUse(op, prior, keysOfLine(records, prior.id));
  if (isOurs) return toContinue(prior);
  const reading = await readObject(op, prior, id);
  if (reading.state === "gone") return gone(op, prior);
  const { record, serviceTime } = reading;
  const { values, private: own } = afterRead(op, prior, record);
  const hasMoved = record.id !== currentId(prior);
  if (hasMoved) sayRotated(op, prior, record);
  const isLost =
    hasMoved && (values["value"] !== undefined || values["encrypted_value"] !== undefined);
  const moved = hasMoved ? movedTo(values, record) : values;
  const kept = isLost ? { ...own, lost: true } : own;
  return withDue(op, { id: prior.id, values: moved, private: kept }, serviceTime);
}

const sayRotated = (op: Operation, { id, values }: State, { id: current }: ServiceRecord): void =>
  op.warn("key_rotated_elsewhere", { subject: op.subject(id, values["name"]), current });

const movedTo = (values: Values, { id, fields }: ServiceRecord): Values =>
  present({
    ...values,
    current_key_id: id,
    rotated_at: fields["created_at"] ?? values["rotated_at"],
  });

/** Declares the rotation of an existing key, and rotates it once unless `rotate_on_create` is false. */
export async function createRotation(op: Operation, inputs: Values): Promise<Result> {
  const keyId = String(inputs["key_id"]);
  const id = rotationId(keyId);
  await assertRecipient(inputs);
  op.ledger.note({ is: "rotates", keyId, by: rotatorOf({ id }, op.options.identity) });
  const createdAt = nowOf(op, (await op.core.authTest(op.calls)).meta?.timestamp);
  const values = {
    ...inputs,
    created_at: createdAt,
    current_key_id: keyId,
    rotated_at: createdAt,
    rotation_due: false,
  };
  const state = { id, ...reconciled(op, values, { managed: Object.keys(inputs), echo: {} }) };
  if (inputs["rotate_on_create"] === false) return { state, warnings: [] };
  return { state: await rotateKey(op, state, inputs), warnings: op.warnings };
}

/**
 * Says where somebody has rotated the key, as far as lists show it. While the old one lasts, a request
 * of an own run may still be answered the same again, with the secret; then its successor takes its
 * place, and the secret, which nothing takes any more, goes. Only a trigger or its age rotates that,
 * so that no two rotators end each other's keys.
 */
export async function readRotation(op: Operation, prior: State): Promise<State> {
  const line = await lineOfRotation(op, prior);
  const { id, isOurs, last } = await keyInUse(op, prior, line?.keys ?? []);
  if (isOurs) return toContinue(prior);
  let { values } = prior;
  if (last && id !== currentId(prior)) {
    sayRotated(op, prior, last);
    const { expires_at: end } = line?.key?.fields ?? {};
    const isLasting = line?.key && !(Date.parse(String(end)) <= Date.parse(line.serviceTime ?? ""));
    const ended = { value: undefined, encrypted_value: undefined };
    if (!isLasting) values = movedTo({ ...values, ...ended }, last);
  }
  if (values["rotate_after"] === undefined) return { ...prior, values };
  const { meta } = await op.core.authTest(op.calls);
  return withDue(op, { ...prior, values }, meta?.timestamp);
}

/** Undefined where keys cannot be listed: nothing but a warning needs it. */
async function lineOfRotation(op: Operation, prior: State): ReturnType<typeof lineOf> {
  const { list } = op.contract.resources.api_key.definition.scopes;
  const { rights } = op.key;
  const isAllowed = !rights || !list || allows(rights.permissions, list.scope);
  if (!isAllowed || op.ledger.unlisted.has("api_key")) return undefined;
  try {
    const listing = { core: op.core, calls: op.sharedWalk };
    const line = await lineOf(listing, prior.values["key_id"], currentId(prior));
    // Where equal names are refused, each create has to look for itself.
    if (!line && op.settings.sameName === "warn") {
      op.ledger.note({ is: "unlisted", kind: "api_key" });
    }
    return line;
  } catch (error) {
    if (op.calls.signal?.aborted) throw error;
    return undefined;
  }
}

/** Rotates the current key once, whatever happened to an interrupted rotation before. */
export async function rotateKey(op: Operation, prior: State, inputs: Values): Promise<State> {
  const { ledger } = op;
  const keyId = currentId(prior);
  const by = rotatorOf(prior, op.options.identity);
  await assertRecipient(inputs);
  ledger.note({ is: "rotates", keyId, by });
  const self = (await op.core.authTest(op.calls)).key_id === keyId;
  if (self && inputs["allow_self_rotation"] !== true) {
    const subject = op.subject(keyId, prior.values["name"]);
    const about = { path: ["allow_self_rotation"] };
    throw engineError("self_rotation", { subject, does: "rotate" }, about);
  }
  const { rotation } = await rotateOnce(op, prior, keyId);
  const { new_key: next, old_key: old } = rotation;
  if (self) {
    op.core.useKey(next.value);
    op.key.secret = next.value;
    if (op.key.rights) op.key.rights = { ...op.key.rights, key_id: next.id };
  }
  // Only this process has the new secret now: nothing may fail before the host has it.
  ledger.note({ is: "rotates", keyId: next.id, by, made: true });
  const values = {
    ...prior.values,
    ...Object.fromEntries(ROTATION_INPUTS.map((name) => [name, inputs[name]])),
    current_key_id: next.id,
    rotated_at: next.created_at,
    previous_key_expires_at: old.expires_at,
    rotation_due: false,
    ...(await secretValues(next.value, inputs)),
  };
  const { lost: _, ...kept } = prior.private;
  const before = {
    managed: Object.keys(inputs),
    echo: kept.echo,
    prior: { ...prior, private: kept },
  };
  return { id: prior.id, ...reconciled(op, values, before) };
}

/** Stores whether the rotation is due, by the service's own time, so that plan and apply agree. */
function withDue(op: Operation, state: State, serviceTime: string | undefined): State {
  const after = state.values["rotate_after"];
  const ageMs = Date.parse(nowOf(op, serviceTime)) - Date.parse(String(state.values["rotated_at"]));
  const old = typeof after === "string" && ageMs >= periodMs(after);
  const due = old || state.private.lost === true;
  return { ...state, values: { ...state.values, rotation_due: due } };
}

/** The service's time, or this machine's where the service did not say it. */
const nowOf = ({ clock }: Operation, serviceTime: string | undefined): string =>
  serviceTime || new Date(clock.wallMs()).toISOString();

const rotationId = (keyId: string): string => `${ROTATION_OF}${keyId}`;

/** A declared key is known by its line, two rotations of one key by what the host calls them. */
const rotatorOf = ({ id }: Pick<State, "id">, identity?: Identity): string =>
  id.startsWith(ROTATION_OF) ? (identity ?? id) : subjectText({ kind: "api_key", id });

/** Notes who rotates the key that inputs name. What is wrong where another rotator has it. */
export function noteNamedKey(
  ledger: Ledger,
  { reading }: Kind,
  { key_id: keyId }: Values,
  identity: Identity,
): InputIssue | undefined {
  if (reading.rotates !== "existing-key" || typeof keyId !== "string") return undefined;
  try {
    ledger.note({ is: "rotates", keyId, by: rotatorOf({ id: rotationId(keyId) }, identity) });
    return undefined;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { ...error.reason, path: ["key_id"] };
  }
}

/** A key in a state already has a rotator, be it only its own declaration. */
export function noteHeldKey(
  ledger: Ledger,
  { reading }: Kind,
  prior: State,
  identity: Identity,
): void {
  const current = prior.values["current_key_id"];
  if (reading.rotates === undefined || typeof current !== "string") return;
  const by = rotatorOf(prior, identity);
  ledger.note({ is: "rotates", keyId: current, by });
  if (reading.rotates === "own-key") ledger.note({ is: "rotates", keyId: prior.id, by });
}
