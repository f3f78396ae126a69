/** What the service has of what a state holds, and what it means that it is gone or another. */
import type { Reading, ReadOptions } from "../../client";
import type { Values } from "../../contract";
import type { Kind } from "../../resources";
import { engineError } from "../errors";
import { accountRefusal, assertOurs } from "../plan/account";
import type { Scope, State } from "../types";
import { currentId, EXPIRED, hasExpired } from "../values/state";
import { isServed, type Caller, type Memory, type Parts, type Voice } from "./operation";

/**
 * Reads the object that a state holds, under the id that it has now. Objects that only expire are
 * not forgotten and may come back, however many of them do not count as a mass.
 */
export async function readObject(
  op: Caller & Voice & Parts<"journal" | "mass" | "options">,
  { id: stateId, values }: State,
  id: string,
): Promise<Reading> {
  const { current_key_id: current = stateId, rotated_at: since = values["created_at"] } = values;
  const createdAt = id === current ? since : undefined;
  const read = () => readListed(op, id, { ...values, created_at: createdAt });
  // What this folder's own runs have deleted is not a mass that somebody else caused.
  const expected =
    op.kind.reading.whenGone === "expire" || (await op.journal.hasLeft("delete", op.kind.name, id));
  return expected ? read() : op.mass.ask(op.kind, stateId, read, op.options.signal);
}

/** Reads an object, and waits where lists may not show yet that another process has created it. */
export async function readListed(
  op: Caller & Voice,
  id: string,
  { created_at: createdAt, name }: Values,
): Promise<Reading> {
  const options: ReadOptions = {
    ...op.sharedWalk,
    ...(typeof createdAt === "string" && { createdAt }),
  };
  const reading = await op.core.read(op.kind.resource, id, options);
  const ageMs = Date.parse(reading.serviceTime ?? "") - Date.parse(String(createdAt));
  // Lists may miss another process's object: their clock may be behind its creator's.
  const leftMs = op.contract.settleWindowMs - Math.max(0, ageMs);
  if (reading.state !== "gone" || !(leftMs > 0)) return reading;
  op.progress("waiting_until_listed", { subject: op.subject(id, name) });
  await op.pause(leftMs);
  return op.core.read(op.kind.resource, id, { ...options, maxAgeMs: 0 });
}

/** What the kind makes of the state of an object that is gone. */
export function gone(op: Voice & Memory, prior: State): State | undefined {
  const subject = op.subject(prior.id, prior.values["name"]);
  if (op.kind.reading.whenGone !== "expire") {
    op.warn("gone", { subject });
    // Whatever has its name may take its place in the state.
    op.ledger.note({ is: "gone", at: op.at(prior.id) });
    return undefined;
  }
  if (!hasExpired(op.kind, prior)) op.warn("expired", { subject });
  return { ...prior, values: { ...prior.values, status: EXPIRED } };
}

/**
 * A state moves only where its object is: the lists of a wrong address would show it as gone, or as
 * another of the same id.
 * @throws EngineError `not_moved`, `wrong_account`
 */
export async function assertThere(
  op: Scope & Caller<Kind> & Voice & Parts<"guard">,
  prior: State,
): Promise<void> {
  await op.guard.confirm();
  // By now it is known what the service calls the account.
  assertOurs(op, prior);
  const seen = await objectOf(op, prior);
  if (seen === undefined || seen.isSame) return;
  const { created } = seen;
  const subject = op.subject(prior.id, prior.values["name"]);
  throw engineError("not_moved", { subject, to: op.account.baseUrl, created });
}

/** Whether the run's account certainly has it: what no list shows, by the account's id alone. */
export async function hasObject(op: Scope & Caller<Kind>, prior: State): Promise<boolean> {
  if (accountRefusal(op, prior)) return false;
  const { id } = prior.private.account;
  if (id !== undefined && id === op.account.id) return true;
  // Assumption: Uniqueness of ids.
  return (await objectOf(op, prior))?.isSame === true;
}

/**
 * The object of a state in the run's own lists; undefined where they cannot show it. `created` where
 * another object has the id.
 */
async function objectOf(op: Caller<Kind>, prior: State) {
  if (!isServed(op)) return undefined;
  if (hasExpired(op.kind, prior)) return undefined;
  const { records } = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  const record = records.get(currentId(prior)) ?? records.get(prior.id);
  if (!record) return { isSame: false };
  const [there, expected] = [record.fields["created_at"], prior.values["created_at"]];
  // The current key of a line is younger than the line.
  if (record.id !== prior.id || typeof there !== "string" || typeof expected !== "string") {
    return { isSame: true };
  }
  const isSame = Date.parse(there) === Date.parse(expected) || there === expected;
  return isSame ? { isSame } : { isSame, created: { there, expected } };
}
