/** Backups that no state ever holds: by an action of the program, or before a change of an object. */
import type { ResourceName, ServiceRecord, Values } from "../../contract";
import type { Message, PartsOf } from "../../messages";
import { kinds, type Kind } from "../../resources";
import { EngineError, engineError } from "../errors";
import { createOnce } from "../evidence/create";
import type { Created } from "../evidence/take";
import { movesOnly } from "../plan/account";
import { isServed, type Operation, type Served } from "../service/operation";
import { statusOf, waitFor } from "../service/ready";
import type { State } from "../types";
import { isOlder } from "../values/time";
import { isFailed } from "../values/inputs";

/**
 * One that an earlier run left unfinished, or that its key leads to, is taken for an hour. After that,
 * what it lacks may be what the next change destroys, so another one is taken.
 */
const TAKEN_MAX_MS = 3_600_000;
/** Backups of one purpose that a service may remember by their keys. */
const TRIES_MAX = 50;

/** What is backed up, by its id or else by its name, and what for. */
export interface BackupOrder {
  readonly of: Extract<ResourceName, "instance" | "server">;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** The program's own word for it: with a scope, runs on other machines find the backup by it. */
  readonly purpose?: string | undefined;
}

/**
 * Takes a backup and waits for it; reports what it waits for.
 * @param find the id of the one object of a name
 * @returns what a person should know
 * @throws EngineError `backup_unfinished` where it failed, or the wait for it has ended; for a name
 * that none or several have, `nothing_matches` or `several_match`
 */
export async function backupNow(
  op: Operation,
  { of, id: known, name, purpose }: BackupOrder,
  find: (of: BackupOrder["of"], name: string | undefined) => Promise<string>,
): Promise<readonly Message[]> {
  if (!isServed(op)) throw new Error("the contract has no backup");
  op.ledger.note({ is: "changed" });
  if (op.former !== undefined) throw new EngineError(movesOnly(op.former, op.kind.name, "create"));
  const target = known ?? (await find(of, name));
  const { record: first } = await byAction(op, [of, target, purpose]);
  const about = (seen: ServiceRecord) =>
    ({ subject: { kind: of, id: target }, backup: first.id, status: statusOf(seen) }) as const;
  op.progress("backup_is", about(first));
  const { outcome, record } = await waitFor(op, first).catch((error: unknown) => {
    // A call that had begun ends as the wait does.
    if (!op.options.stop?.aborted) throw error;
    return { outcome: "timeout" as const, record: first };
  });
  const parts = about(record);
  // A clean exit drops its intent. Until then, a run that is killed before what the backup is for was
  // done leaves it to the next one; a failed one is of no use to anybody.
  if (outcome === "failed") await op.journal.dropAll(op.kind.name, first.id);
  if (outcome !== "ready") {
    const isCut = outcome === "timeout" && op.options.stop?.aborted;
    throw engineError("backup_unfinished", { ...parts, outcome: isCut ? "interrupted" : outcome });
  }
  op.progress("backup_is", parts);
  return op.warnings;
}

/** By an intent of its own; a key is derived only where the program says what the backup is for. */
function byAction(
  op: Operation<Served>,
  [of, id, purpose]: readonly [string, string, string | undefined],
): Promise<Created> {
  const identity = JSON.stringify(["backup by an action", of, id, purpose ?? null]);
  const own = { identity, derived: true, unscoped: purpose === undefined } as const;
  const count = op.backups.get(identity) ?? 0;
  op.backups.set(identity, count + 1);
  const named = (error: unknown): never => rename(error, `of ${of} ${id}`);
  const backup = (old: string | undefined) =>
    op.on(op.kind, { ...own, occasion: [count, old ?? null] });
  return taken(backup, { [`${of}_id`]: id }).catch(named);
}

/** One that is young enough: each that is too old to be taken leads to the next. */
async function taken(
  backup: (old: string | undefined) => Operation<Served>,
  inputs: Values,
): Promise<Created> {
  let old: string | undefined;
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const op = backup(old);
    const { journal, time, warnings } = op;
    const reported = warnings.length;
    const created = await createOnce(op, inputs);
    const { record, resumed } = created;
    const now = time.now() ?? (await time.ask(op.calls));
    const isOld = isOlder(record, now && now - TAKEN_MAX_MS) ?? resumed !== undefined;
    if (!isOld && !(resumed && isFailed(op, record.fields["status"]))) return created;
    warnings.splice(reported); // It is not taken, whatever was said of it.
    old = record.id;
    await journal.dropAll(op.kind.name, old);
  }
  throw engineError("generations_used_up", { kind: "backup", count: TRIES_MAX });
}

/** A backup has no name of its own: what it is of tells which one another run is working on. */
function rename(error: unknown, name: string): never {
  if (!(error instanceof EngineError) || error.code !== "in_progress") throw error;
  // Whoever made the message had to give it these parts.
  const parts = error.reason.parts as PartsOf<"in_progress">;
  throw engineError("in_progress", { ...parts, name });
}

/** Takes a backup, and waits for it, before a guarded field changes. @returns the backup's id */
export async function backupBefore(
  op: Operation,
  prior: State,
  inputs: Values,
  guard: NonNullable<Kind["reading"]["backupBefore"]>,
): Promise<string> {
  const { backup: kind } = kinds;
  // An intent like any create's, for this very change: a run that soon follows a killed one takes no other.
  const owner = op.options.identity ?? `${op.kind.name} ${prior.id}`;
  const identity = `${owner}/before ${guard.field}=${JSON.stringify(inputs[guard.field])}`;
  // Another machine finds it for this change alone: once it is made, the state counts one more.
  const occasion = [prior.values[guard.field] ?? null, prior.private.generation ?? 0];
  const backup = kind && op.on(kind, { identity, derived: true });
  if (!backup || !isServed(backup)) throw new Error("the contract has no backup");
  const after = (old: string | undefined) =>
    backup.on(backup.kind, { occasion: old === undefined ? occasion : [...occasion, old] });
  const { record } = await taken(after, { [`${op.kind.name}_id`]: prior.id });
  const waited = await waitFor(backup, record);
  const parts = { subject: op.subject(prior.id), ...guard, backup: record.id };
  const about = { path: [guard.field] };
  if (waited.outcome === "timeout" && op.options.stop?.aborted) {
    throw engineError("interrupted", parts, about);
  }
  if (waited.outcome !== "ready") {
    const status = statusOf(waited.record);
    if (waited.outcome === "failed") await op.journal.dropAll("backup", record.id);
    throw engineError("backup_failed", { ...parts, status }, about);
  }
  op.warn("backup_taken", parts);
  return record.id;
}
