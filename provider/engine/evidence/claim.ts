/** What earlier runs began for the purpose of a create: judged, or only noted. */
import type { Snapshot } from "../../client";
import type { Values } from "../../contract";
import { message, type Message } from "../../messages";
import { engineError } from "../errors";
import { hasPurpose, type Intent, type IntentEntry, type Purpose } from "../journal/entry";
import type { Operation, Served } from "../service/operation";
import { hasUnknown } from "../values/compare";
import { decide, followed, registered, requestOf } from "./attempt";
import { findOf, wayOf } from "./replay";
import {
  bodyOf,
  isAdoptable,
  isUnreadable,
  look,
  mayBeOf,
  orphanSuspected,
  type Found,
} from "./search";
import { changesTo, isTaken, take, type Created } from "./take";
import { refusalOfEarlier, type Verdict } from "./verdicts";

/**
 * The object of the first claimed entry that leads to one. One that was answered may already be in the
 * host's state. Where the host showed the id that it has, that is known; where it replaces an object
 * without showing it (`--replace`), what it deletes will show it.
 */
export async function createdEarlier(
  op: Operation<Served>,
  inputs: Values,
  claimed: readonly Intent[],
  bodyHash: string,
): Promise<Created | undefined> {
  const open: Intent[] = [];
  for (const intent of claimed) {
    const { answer } = intent.entry;
    const isKnown = answer !== undefined && (await isTaken(op, answer));
    const { hasState, live } = op.declared;
    if (isKnown || (answer !== undefined && hasState && live === undefined)) {
      const verdict = { is: isKnown ? "taken" : "shown_by_delete" } as const;
      await decide(op, intent, Promise.resolve(verdict), refusalOfEarlier);
    } else {
      open.push(intent);
    }
  }
  return followed(op, open, async (intent) => {
    const { entry } = intent;
    if (await op.journal.isOwn(intent, bodyHash)) {
      return ofFound(op, inputs, entry, await findOf(op, entry));
    }
    // The host has most likely stored what a run that exited cleanly created. Another declaration
    // under the same identity may be an edit, or be in another state: it gets nothing that may be
    // another's.
    const { answer, identity, name } = entry;
    if (answer === undefined || !(await look(op, answer, entry))) return { is: "nothing" };
    throw engineError("handed_over", { subject: op.subject(answer, name), token: identity ?? "" });
  });
}

/** What an entry led to is taken, unless somebody has it, or it may be somebody else's. */
export async function ofFound(
  op: Operation<Served>,
  inputs: Values,
  entry: IntentEntry,
  begun: Found | undefined,
): Promise<Verdict<Created>> {
  if (!begun) return { is: "nothing" };
  const { record, doubtful } = begun;
  if (await isTaken(op, record.id)) return { is: "taken" };
  if (doubtful && !isAdoptable(op, inputs, record)) throw orphanSuspected(op, entry, [record]);
  return registered(op, entry, await take(op, inputs, begun));
}

/**
 * What a create is going to find by the entries that are open for it: a note for each object's id.
 * Nothing is claimed, waited for or sent.
 * @throws EngineError where what is open can't be known, for which the create would stop
 */
export async function notesOfOpen(
  op: Operation<Served>,
  inputs: Values,
  snapshot: Snapshot,
): Promise<ReadonlyMap<string, Message>> {
  const { journal } = op;
  const purposeOf = purposeFor(op, inputs);
  const { dead, living } = await journal.openFor(op.options.identity, (intent) =>
    hasPurpose(intent, purposeOf(intent.entry)),
  );
  const notes = new Map<string, Message>();
  for (const intent of [...dead, ...living]) {
    const { entry } = intent;
    if (!(await journal.isOwn(intent, purposeOf(entry).bodyHash))) continue;
    const [record, ...more] = await mayBeOf(op, entry, snapshot);
    if (!record || more.length > 0) continue;
    const isSure = entry.answer !== undefined;
    const isFound = !isSure && (await wayOf(op, entry)) === "search";
    if (isFound && (isUnreadable(op, entry) || !isAdoptable(op, inputs, record))) continue;
    const isReplaced = changesTo(op, inputs, record)?.replace === true;
    const isLiving = living.includes(intent);
    const parts = { subject: op.subject(record.id, entry.name), isSure, isReplaced, isLiving };
    notes.set(record.id, message("left_open", parts, { path: ["name"] }));
  }
  return notes;
}

/** The purpose of a planned create; where its bytes are not known yet, as far as an entry's may be. */
function purposeFor(op: Operation<Served>, inputs: Values): (entry: IntentEntry) => Purpose {
  if (!hasUnknown(inputs)) {
    const { purpose } = requestOf(op, inputs);
    return () => purpose;
  }
  const { identity } = op.options;
  return (entry) => {
    const body = entry.name === inputs["name"] ? bodyOf(op, entry) : undefined;
    const bodyHash = body && !changesTo(op, inputs, body) ? entry.bodyHash : "";
    return { operation: "create", kind: op.kind.name, identity, bodyHash };
  };
}
