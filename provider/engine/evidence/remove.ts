/** Deleting one object for good, noted on disk so that a run after a kill expects its absence. */
import { engineError, isUndone } from "../errors";
import type { Operation, Served } from "../service/operation";

const TRIES_MAX = 2;

/**
 * A service that does not find the object may be wrong: where lists still show it, it is deleted
 * again.
 * @throws EngineError `not_deleted`
 */
export async function removeOnce(op: Operation<Served>, id: string): Promise<void> {
  const { clock, journal } = op.run;
  const entry = {
    version: 1,
    id: op.run.uuid(),
    account: op.core.account,
    operation: "delete",
    kind: op.kind.name,
    target: id,
    idempotencyKey: "",
    bodyHash: "",
    time: clock.wallMs(),
  } as const;
  const intent = await journal.begin(entry, false);
  try {
    const listed = op.resource.operations.list !== undefined;
    for (let tries = 1; ; tries += 1) {
      const outcome = await op.core.remove(op.kind.resource, id, op.calls);
      if (outcome === "deleted" || !listed) break;
      const options = { expectGone: true, ...op.calls };
      if ((await op.core.read(op.kind.resource, id, options)).state === "gone") break;
      if (tries < TRIES_MAX) continue;
      throw engineError("not_deleted", { subject: op.subject(id) });
    }
    await journal.recordAnswer(intent, id);
  } catch (error) {
    await (isUndone(error) ? journal.drop(intent) : journal.abandon(intent));
    throw error;
  }
}
