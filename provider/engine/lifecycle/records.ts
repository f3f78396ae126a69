/** Small questions about records that several operations ask. */
import type { Reading } from "../../client/api";
import type { ServiceRecord } from "../../contract";
import type { Kind } from "../../resources";
import { EngineError, subject } from "../errors";
import { pause } from "../pause";
import { isUndone } from "../refusals";
import type { Machine } from "../machine";
import type { ReadResult, State } from "../types";
import type { Operation, Served } from "../operation";

export const createdMs = (record: ServiceRecord): number =>
  Date.parse(String(record.fields["created_at"])) || 0;

/** The newest of some records; of equally old ones the last, as lists keep the order of making. */
export const newest = (records: readonly ServiceRecord[]): ServiceRecord | undefined =>
  [...records].sort((a, b) => createdMs(a) - createdMs(b)).at(-1);

/** The status of an object that the service no longer keeps, and that the state does. */
export const EXPIRED = "expired";

/**
 * Reads the object that a state holds. An object that only expires is forgotten by
 * nobody and comes back by itself, so many of them at once are no mass.
 */
export async function ask(
  op: Operation<Served>,
  { id: stateId, values }: State,
  id: string,
): Promise<Reading> {
  const created = id === stateId ? values["created_at"] : undefined;
  const options = {
    maxAgeMs: op.machine.options.readMaxAgeMs,
    ...(typeof created === "string" && { createdAt: created }),
    ...op.calls,
  };
  const read = async (): Promise<Reading> => {
    const reading = await op.core.read(op.kind.resource, id, options);
    const leftMs = reading.state === "gone" ? unsettledMs(op.machine, created, reading) : 0;
    if (leftMs <= 0) return reading;
    const message = `${subject(op.kind.name, id, values["name"])} was created a moment ago and is not listed yet; waiting until lists show it.`;
    op.context.onNotice?.({ kind: "progress", message });
    await pause(op.machine.clock, leftMs, op.context.signal);
    return op.core.read(op.kind.resource, id, { ...options, maxAgeMs: 0 });
  };
  // What this folder's own runs have deleted is no mass that somebody else has made.
  const expected =
    op.kind.reading.whenGone === "expire" ||
    (await op.machine.intents.hasDeleted(op.kind.name, id));
  return expected ? read() : op.machine.mass.ask(op.kind, stateId, read, op.context.signal);
}

/** How long lists need not show an object yet that another process has created. */
function unsettledMs(
  { core }: Machine,
  created: unknown,
  { serviceTime }: Pick<Reading, "serviceTime">,
): number {
  if (typeof created !== "string" || serviceTime === undefined) return 0;
  const ageMs = Date.parse(serviceTime) - Date.parse(created);
  return ageMs >= 0 ? core.contract.settleWindowMs - ageMs : 0;
}

/** What a verdict of gone means for a kind. */
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

/**
 * Deletes one object for good. A service that does not find it may be wrong: where lists still show
 * it, it is deleted again. Noted on disk, so that a run after a kill does not wonder where it is.
 * @throws EngineError `not_deleted`
 */
export async function removeSurely(op: Operation<Served>, id: string): Promise<void> {
  const { core, intents } = op.machine;
  const note = await intents.begin(
    {
      version: 1,
      id: op.machine.uuid(),
      account: core.account,
      operation: "delete",
      kind: op.kind.name,
      target: id,
      idempotencyKey: "",
      bodyHash: "",
      time: op.machine.clock.wallMs(),
    },
    false,
  );
  try {
    for (let tries = 1; ; tries += 1) {
      const outcome = await core.remove(op.kind.resource, id, op.calls);
      const listed = core.contract.resources[op.kind.resource].operations.list !== undefined;
      if (outcome === "deleted" || !listed) break;
      const options = { verdict: true, ...op.calls };
      if ((await core.read(op.kind.resource, id, options)).state === "gone") break;
      if (tries < DELETE_TRIES) continue;
      throw new EngineError(
        "not_deleted",
        `${op.kind.name} ${id} is not deleted: the service says that it has none of that id, and lists it. Try again later, or tell the service.`,
      );
    }
    await intents.answered(note, id);
  } catch (error) {
    await (isUndone(error) ? intents.drop(note) : intents.abandon(note));
    throw error;
  }
}

const DELETE_TRIES = 2;
