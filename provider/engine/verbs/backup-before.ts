/** A backup before a change that can't be undone. */
import type { Values } from "../../contract";
import { kinds } from "../../resources";
import { engineError } from "../errors";
import { createOnce } from "../evidence/create";
import { isServed, type Operation } from "../service/operation";
import type { Change, State } from "../types";
import { waitFor } from "../service/ready";

/**
 * Takes a backup of the object, and waits for it, before a field changes that the program guards.
 * @returns the backup's id; undefined where no such field changes
 */
export async function backupBefore(
  op: Operation,
  prior: State,
  inputs: Values,
  changes: readonly Change[],
): Promise<string | undefined> {
  const { backupBefore: guard } = op.kind.reading;
  if (!guard || inputs[guard.option] !== true) return undefined;
  if (!changes.some(({ path: [head] }) => head === guard.field)) return undefined;
  const { backup: kind } = kinds;
  // An intent like any create's, for this very change: a run that follows a killed one takes no other.
  const owner = op.options.identity ?? `${op.kind.name} ${prior.id}`;
  const identity = `${owner}/before ${guard.field}=${JSON.stringify(inputs[guard.field])}`;
  // Another machine finds it for this change alone: once it is made, the state counts one more.
  const generation = [prior.values[guard.field] ?? null, prior.private.generation ?? 0];
  const backup = kind && op.on(kind, { identity, derived: true, generation });
  if (!backup || !isServed(backup)) throw new Error("the contract has no backup");
  const { record } = await createOnce(backup, { [`${op.kind.name}_id`]: prior.id });
  const waited = await waitFor(backup, record);
  const parts = { subject: op.subject(prior.id), ...guard, backup: record.id };
  const about = { path: [guard.field] };
  if (waited.outcome === "timeout" && op.options.stop?.aborted) {
    throw engineError("interrupted", parts, about);
  }
  if (waited.outcome !== "ready") {
    const status = String(waited.record.fields["status"]);
    if (waited.outcome === "failed") await op.run.journal.dropAll("backup", record.id);
    throw engineError("backup_failed", { ...parts, status }, about);
  }
  op.warn("backup_taken", parts);
  return record.id;
}
