/** Taking an object that exists: by its id, by any id of a key's line, or by its name. */
import { EngineError } from "../errors";
import { afterImport } from "./reconcile";
import { newest } from "./records";
import { afterKeyCreated } from "../rotation/rotation";
import type { State } from "../types";
import { type Operation, type Served, isServed } from "../operation";

/** Takes an existing object by `ID` or `name=…`. */
export async function importObject(op: Operation, reference: string): Promise<State> {
  if (!isServed(op)) {
    throw new EngineError(
      "not_offered",
      `${op.kind.name} can't be imported: it declares rotations and is no object of the service. Declare it with key_id, and rotate_on_create false to leave the key alone for now.`,
    );
  }
  const id = await resolveReference(op, reference);
  op.machine.ids.mention(op.kind.name, id);
  const reading = await op.core.read(op.kind.resource, id, op.sharedWalk);
  if (reading.state === "gone") {
    throw new EngineError(
      "not_found",
      `${op.kind.name} ${id} can't be imported: the service does not list it. Check the id and the account (${op.core.account.baseUrl}).`,
    );
  }
  const state: State = { id, ...afterImport(op.ours, reading.record) };
  return op.kind.reading.rotates === "own-key"
    ? afterKeyCreated(op.machine, state, reading.record, reading.serviceTime, {})
    : state;
}

async function resolveReference(op: Operation<Served>, reference: string): Promise<string> {
  const byName = /^name=(.+)$/s.exec(reference)?.[1];
  const byLine = op.kind.reading.rotates === "own-key";
  if (byName === undefined && !byLine) return reference;
  const snapshot = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  const records = [...snapshot.records.values()];
  if (byName === undefined) {
    // Any id of a key's line stands for its newest key.
    const line = snapshot.records.get(reference)?.fields["lineage_id"] ?? reference;
    const keys = records.filter((record) => record.fields["lineage_id"] === line);
    return newest(keys)?.id ?? reference;
  }
  const named = records.filter((record) => record.fields["name"] === byName);
  const ids = [...new Set(named.map(({ id }) => id))];
  if (byLine && new Set(named.map((record) => record.fields["lineage_id"])).size === 1) {
    return newest(named)?.id ?? reference;
  }
  if (ids.length === 1 && ids[0] !== undefined) return ids[0];
  if (ids.length === 0) {
    throw new EngineError(
      "not_found",
      `No ${op.kind.name} is named ${byName} at ${op.core.account.baseUrl}. Check the name, or import by id.`,
    );
  }
  throw new EngineError(
    "ambiguous_name",
    `${ids.length} objects of kind ${op.kind.name} are named ${byName}: ${ids.join(", ")}. Import the right one by its id.`,
  );
}
