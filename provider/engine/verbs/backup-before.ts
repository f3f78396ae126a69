/** A backup before a change that can't be undone. */
import { kinds, type Kind } from "../../resources";
import { engineError } from "../errors";
import { createOnce } from "../evidence/create";
import { isServed, type Operation } from "../service/operation";
import type { State } from "../types";
import { waitFor } from "../service/ready";

type Guard = NonNullable<Kind["reading"]["backupBefore"]>;

/**
 * Takes a backup of the object, and waits for it, before a field changes that the program guards.
 * @returns the backup's id
 */
export async function backupBefore(
  op: Operation,
  prior: State,
  guard: Guard,
  wanted: unknown,
): Promise<string> {
  const { backup: kind } = kinds;
  // An intent like any create's, for this very change: a run that follows a killed one takes no other.
  const owner = op.options.identity ?? `${op.kind.name} ${prior.id}`;
  const identity = `${owner}/before ${guard.field}=${JSON.stringify(wanted)}`;
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
