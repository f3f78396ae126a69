/** What a host shows before it plans, and what the engine looks for then. */
import { namedOf } from "../evidence/names";
import { accountRefusal } from "../plan/account";
import { asSeen, type Seen, type Shown } from "../plan/seen";
import { assertThere } from "../service/reading";
import { isServed, type Operation } from "../service/operation";
import { plannedAdoption } from "./import";
import { noteHeldKey, noteNamedKey } from "./key";

/** Tells the ledger what is shown, once and in one place, and sees what plan functions take. */
export async function observe<N extends boolean>(op: Operation, shown: Shown<N>): Promise<Seen<N>> {
  const { contract, account, former, isAccountsPlace, kind, ledger, settings } = op;
  const { identity, hasState, prior, declared, adopts } = shown;
  // Hosts check a replacement a second time, as if there were no object: once known stays known.
  if (declared) ledger.note({ is: "declared", identity, hasState });
  const rotated = declared && noteNamedKey(ledger, kind, declared, identity);
  if (prior) {
    if (prior.private.account.baseUrl === op.former) await assertThere(op, prior);
    // A state of another account says nothing about this one's objects.
    if (!accountRefusal(op, prior)) await op.seeState(prior);
    noteHeldKey(ledger, kind, prior, op.options.identity);
    const { resumed: mark } = prior.private;
    ledger.note({ is: "plannedFrom", at: op.at(prior.id), identity: op.options.identity, mark });
  }
  if (adopts !== undefined) await plannedAdoption(op, adopts);
  const isNamed = shown.names && declared && !rotated && isServed(op);
  const named = isNamed ? await namedOf(op, declared) : undefined;
  return asSeen({
    ...{ contract, account, former, isAccountsPlace, kind, rotated, named },
    allowDelete: settings.allowDelete,
    preflight: settings.preflight,
    key: op.key.rights,
    adopted: prior && ledger.adoptionOf(kind.name, prior),
  });
}
