/** What shows that an object is at the address that the service is said to have moved to. */
import { engineError } from "../errors";
import { accountRefusal, isMoving } from "../plan/account";
import { assertAccount } from "./account-guard";
import { currentId, EXPIRED } from "../values/history";
import type { State } from "../types";
import { isServed, type Operation } from "./operation";

/**
 * A state moves only where its object is: the lists of a wrong address would show it as gone, or as
 * another of the same id. Nothing where it does not move.
 * @throws EngineError `not_moved`, `wrong_account`
 */
export async function assertThere(op: Operation, prior: State): Promise<void> {
  if (!isMoving(op, prior)) return;
  await op.run.account.confirm();
  // By now it is known what the service calls the account.
  assertAccount(op, prior);
  const seen = await objectOf(op, prior);
  if (seen === undefined || seen.isSame) return;
  const { created } = seen;
  const subject = op.subject(prior.id, prior.values["name"]);
  throw engineError("not_moved", { subject, to: op.account.baseUrl, created });
}

/**
 * Whether the run's account certainly has the object of a state. A kind without a list is only known
 * by what the service calls its account.
 */
export async function holds(op: Operation, prior: State): Promise<boolean> {
  if (accountRefusal(op, prior)) return false;
  const { id } = prior.private.account;
  if (id !== undefined && id === op.account.id) return true;
  // Assumption: Uniqueness of ids.
  return (await objectOf(op, prior))?.isSame === true;
}

interface Seen {
  readonly isSame: boolean;
  /** Where another object has the id. */
  readonly created?: { readonly there: string; readonly expected: string };
}

/** The object of a state in the run's own lists; undefined where they cannot show it. */
async function objectOf(op: Operation, prior: State): Promise<Seen | undefined> {
  if (!isServed(op) || op.resource.operations.list === undefined) return undefined;
  if (prior.values["status"] === EXPIRED) return undefined;
  const { records } = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  const record = records.get(currentId(prior)) ?? records.get(prior.id);
  if (!record) return { isSame: false };
  const [there, expected] = [record.fields["created_at"], prior.values["created_at"]];
  // The current key of a line is younger than the line.
  if (record.id !== prior.id || typeof there !== "string" || typeof expected !== "string") {
    return { isSame: true };
  }
  const isSame = Date.parse(there) === Date.parse(expected) || there === expected;
  return isSame ? { isSame } : { isSame, created: { there, expected } };
}
