/** What a host shows before it plans, and what the engine looks for then. */
import { namedOf } from "../evidence/names";
import { accountRefusal } from "../plan/account";
import { asSeen, type Seen, type Shown } from "../plan/seen";
import { assertThere } from "../service/reading";
import type { Operation } from "../service/operation";
import type { State } from "../types";
import { plannedAdoption } from "./import";
import { claimHeldKey, claimNamedKey } from "./rotator";

/** Tells the ledger what is shown, once and in one place, and sees what plan functions take. */
export async function observe(op: Operation, shown: Shown): Promise<Seen> {
  const { contract, account, former, isAccountsPlace, allowDelete, kind, run } = op;
  const { identity, hasState, prior, declared, adopts } = shown;
  // Hosts check a replacement a second time, as if there were no object: once known stays known.
  if (declared) run.ledger.note({ is: "declared", identity, hasState });
  const rotated = declared && claimNamedKey(run.ledger, kind, declared, identity);
  if (prior) await seePrior(op, prior);
  if (adopts !== undefined) await plannedAdoption(op, adopts);
  const named = shown.names && declared && !rotated ? await namedOf(op, declared) : undefined;
  return asSeen({
    ...{ contract, account, former, isAccountsPlace, allowDelete, kind },
    preflight: run.options.preflight,
    key: run.key,
    rotated,
    adopted: prior && run.ledger.adoptionOf(kind.name, prior),
    named,
  });
}

/** That the host shows its state is noted, and what led to the object forgotten. */
async function seePrior(op: Operation, prior: State): Promise<void> {
  const { ledger } = op.run;
  const { identity } = op.options;
  if (prior.private.account.baseUrl === op.former) await assertThere(op, prior);
  // A state of another account says nothing about this one's objects.
  if (!accountRefusal(op, prior)) await op.seeState(prior);
  claimHeldKey(ledger, op.kind, prior, identity);
  const { resumed: mark } = prior.private;
  ledger.note({ is: "plannedFrom", at: op.at(prior.id), identity, mark });
}
