/** What shows that an object is at the address that the service is said to have moved to. */
import { engineError } from "../errors";
import { assertAccount, isMoving } from "../guards/account";
import { currentId, isServed, type Operation } from "../operation";
import type { State } from "../types";
import { EXPIRED } from "./gone";

/**
 * A state moves only where its object is: the lists of a wrong address would show it as gone, or as
 * another of the same id. Nothing where it does not move.
 * @throws EngineError `not_moved`, `wrong_account`
 */
export async function assertThere(op: Operation, prior: State): Promise<void> {
  if (!isMoving(op, prior)) return;
  await op.machine.account.confirm();
  // By now it is known what the service calls the account.
  assertAccount(op, prior);
  if (!isServed(op) || op.resource.operations.list === undefined) return;
  if (prior.values["status"] === EXPIRED) return;
  const { records } = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  const record = records.get(currentId(prior)) ?? records.get(prior.id);
  const subject = op.subject(prior.id, prior.values["name"]);
  const to = op.account.baseUrl;
  if (!record) throw engineError("not_moved", { subject, to });
  const [there, expected] = [record.fields["created_at"], prior.values["created_at"]];
  // The current key of a line is younger than the line.
  if (record.id !== prior.id || typeof there !== "string" || typeof expected !== "string") return;
  if (Date.parse(there) === Date.parse(expected) || there === expected) return;
  throw engineError("not_moved", { subject, to, created: { there, expected } });
}
