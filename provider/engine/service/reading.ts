/** Reading an object that a state holds, and what it means that it is gone. */
import type { Reading, ReadOptions } from "../../client";
import type { Values } from "../../contract";
import { EXPIRED } from "../values/history";
import type { Operation, Served } from "./operation";
import type { ReadResult, State } from "../types";

/**
 * Reads the object that a state holds, under the id that it has now. Objects that only expire are
 * not forgotten and may come back, however many of them do not count as a mass.
 */
export async function readHeld(
  op: Operation<Served>,
  { id: stateId, values }: State,
  id: string,
): Promise<Reading> {
  const createdAt = id === stateId ? values["created_at"] : undefined;
  const read = () => readListed(op, id, { ...values, created_at: createdAt });
  // What this folder's own runs have deleted is not a mass that somebody else caused.
  const expected =
    op.kind.reading.whenGone === "expire" || (await op.run.journal.hasDeleted(op.kind.name, id));
  return expected ? read() : op.run.mass.ask(op.kind, stateId, read, op.options.signal);
}

/** Reads an object, and waits where lists may not show yet that another process has created it. */
export async function readListed(
  op: Operation<Served>,
  id: string,
  { created_at: createdAt, name }: Values,
): Promise<Reading> {
  const options: ReadOptions = {
    ...op.sharedWalk,
    ...(typeof createdAt === "string" && { createdAt }),
  };
  const reading = await op.core.read(op.kind.resource, id, options);
  const leftMs = unlistedMs(op, createdAt, reading);
  if (leftMs <= 0) return reading;
  op.progress("waiting_until_listed", { subject: op.subject(id, name) });
  await op.pause(leftMs);
  return op.core.read(op.kind.resource, id, { ...options, maxAgeMs: 0 });
}

/**
 * How long lists may still miss an object that another process has created. The clock of what
 * answers them may be behind that of what created it.
 */
export function unlistedMs(
  { contract }: Pick<Operation, "contract">,
  createdAt: unknown,
  reading: Pick<Reading, "state" | "serviceTime">,
): number {
  const ageMs = Date.parse(reading.serviceTime ?? "") - Date.parse(String(createdAt));
  if (reading.state !== "gone" || Number.isNaN(ageMs)) return 0;
  return contract.settleWindowMs - Math.max(0, ageMs);
}

/** What the kind makes of an object that is gone. */
export function gone(op: Operation, prior: State): ReadResult {
  const subject = op.subject(prior.id, prior.values["name"]);
  if (op.kind.reading.whenGone !== "expire") {
    op.warn("gone", { subject });
    // Whatever has its name may take its place in the state.
    op.run.ledger.note({ is: "gone", at: op.at(prior.id) });
    return { state: undefined, warnings: op.warnings };
  }
  if (prior.values["status"] !== EXPIRED) op.warn("expired", { subject });
  const values = { ...prior.values, status: EXPIRED };
  return { state: { ...prior, values }, warnings: op.warnings };
}
