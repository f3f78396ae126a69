/** What every intent of an operation says. */
import type { Operation } from "../operation";
import type { IntentEntry } from "./entry";

/** An intent of this operation, with a new idempotency key unless it is given. */
export async function newEntry(
  op: Operation,
  fields: Pick<IntentEntry, "operation" | "bodyHash"> & Partial<IntentEntry>,
): Promise<IntentEntry> {
  const { identity, derived } = op.options;
  const serviceTime = await op.machine.time.known(op.calls);
  return {
    version: 1,
    id: op.machine.uuid(),
    account: op.core.account,
    kind: op.kind.name,
    ...(identity !== undefined && { identity }),
    ...(derived && { derived }),
    idempotencyKey: op.machine.uuid(),
    time: op.machine.clock.wallMs(),
    ...(serviceTime !== undefined && { serviceTime }),
    ...fields,
  };
}
