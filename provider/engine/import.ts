/** Taking an object that exists: by its id, by any id of a key's line, or by its name. */
import type { Kind } from "../resources";
import { EngineError } from "./errors";
import { isServed, ours, type Machine, type Served } from "./machine";
import { afterImport } from "./reconcile";
import { callOptions } from "./call-options";
import { newest } from "./records";
import { afterKeyCreated } from "./rotation";
import type { Context, State } from "./types";

/** Takes an existing object by `ID` or `name=…`. */
export async function importObject(
  machine: Machine,
  kind: Kind,
  reference: string,
  context: Context,
): Promise<State> {
  if (!isServed(kind)) {
    throw new EngineError(
      "not_offered",
      `${kind.name} can't be imported: it declares rotations and is no object of the service. Declare it with key_id, and rotate_on_create false to leave the key alone for now.`,
    );
  }
  const id = await resolveReference(machine, kind, reference, context);
  machine.ids.mention(kind.name, id);
  const reading = await machine.core.read(kind.resource, id, {
    maxAgeMs: machine.options.readMaxAgeMs,
    ...callOptions(context),
  });
  if (reading.state === "gone") {
    throw new EngineError(
      "not_found",
      `${kind.name} ${id} can't be imported: the service does not list it. Check the id and the account (${machine.core.account.baseUrl}).`,
    );
  }
  const state: State = { id, ...afterImport(ours(machine, kind), reading.record) };
  return kind.reading.rotates === "own-key"
    ? afterKeyCreated(machine, state, reading.record, reading.serviceTime, {})
    : state;
}

async function resolveReference(
  machine: Machine,
  kind: Served,
  reference: string,
  context: Context,
): Promise<string> {
  const byName = /^name=(.+)$/s.exec(reference)?.[1];
  const byLine = kind.reading.rotates === "own-key";
  if (byName === undefined && !byLine) return reference;
  const snapshot = await machine.core.snapshot(kind.resource, {
    maxAgeMs: machine.options.readMaxAgeMs,
    ...callOptions(context),
  });
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
      `No ${kind.name} is named ${byName} at ${machine.core.account.baseUrl}. Check the name, or import by id.`,
    );
  }
  throw new EngineError(
    "ambiguous_name",
    `${ids.length} objects of kind ${kind.name} are named ${byName}: ${ids.join(", ")}. Import the right one by its id.`,
  );
}
