/** Reading an object that a state holds, and what it means that it is gone. */
import type { ReadOptions, Reading } from "../../client/api";
import type { Kind } from "../../resources";
import { subject } from "../errors";
import type { Operation, Served } from "../operation";
import type { ReadResult, State } from "../types";

/** The status of an object that the service no longer keeps, and that the state does. */
export const EXPIRED = "expired";

/**
 * Reads the object that a state holds, under the id that it has now. Objects that only expire are
 * not forgotten and may come back, so many of them at once are not a mass.
 */
export async function readHeld(
  op: Operation<Served>,
  { id: stateId, values }: State,
  id: string,
): Promise<Reading> {
  const createdAt = id === stateId ? values["created_at"] : undefined;
  const options: ReadOptions = {
    ...op.sharedWalk,
    ...(typeof createdAt === "string" && { createdAt }),
  };
  const read = async (): Promise<Reading> => {
    const reading = await op.core.read(op.kind.resource, id, options);
    const leftMs = unlistedMs(op, createdAt, reading);
    if (leftMs <= 0) return reading;
    op.progress(
      `${op.subject(id, values["name"])} was created a moment ago and is not listed yet; waiting until lists show it.`,
    );
    await op.pause(leftMs);
    return op.core.read(op.kind.resource, id, { ...options, maxAgeMs: 0 });
  };
  // What this folder's own runs have deleted is not a mass that somebody else caused.
  const expected =
    op.kind.reading.whenGone === "expire" ||
    (await op.machine.intents.hasDeleted(op.kind.name, id));
  return expected ? read() : op.machine.mass.ask(op.kind, stateId, read, op.options.signal);
}

/** How long lists may still miss an object that another process has created. */
function unlistedMs({ contract }: Operation, createdAt: unknown, reading: Reading): number {
  const { serviceTime, state } = reading;
  if (state !== "gone" || typeof createdAt !== "string" || serviceTime === undefined) return 0;
  const ageMs = Date.parse(serviceTime) - Date.parse(createdAt);
  return ageMs >= 0 ? contract.settleWindowMs - ageMs : 0;
}

/** What the kind makes of an object that is gone. */
export function gone(kind: Kind, prior: State): ReadResult {
  const what = subject(kind.name, prior.id, prior.values["name"]);
  if (kind.reading.whenGone !== "expire") {
    return { state: undefined, warnings: [`${what} is gone: the service no longer lists it.`] };
  }
  const values = { ...prior.values, status: EXPIRED };
  const warnings =
    prior.values["status"] === EXPIRED
      ? []
      : [
          `${what} has expired: the service no longer keeps it. A change of its triggers takes a new one.`,
        ];
  return { state: { ...prior, values }, warnings };
}
