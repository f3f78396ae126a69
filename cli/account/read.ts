/** Reads all that an account's lists show: one walk per list, within the quota, and nothing but GETs. */
import {
  allows,
  type AuthView,
  type ResourceName,
  type ServiceRecord,
} from "../../provider/contract";
import type { Engine } from "../../provider/engine";

type Calls = NonNullable<Parameters<Engine["lookupList"]>[2]>;

/** How a reading is done, and what is shown of it. */
export interface Reading {
  readonly calls: Calls;
  /** Called when a list is read, with the number of its objects. */
  readonly onList: (name: ResourceName, count: number) => void;
}

/** An account as its lists show it. */
export interface AccountContents {
  readonly auth: AuthView;
  readonly records: ReadonlyMap<ResourceName, readonly ServiceRecord[]>;
  /** Lists that the key may not read, and the scopes that they need. */
  readonly unreadable: ReadonlyMap<ResourceName, string>;
}

/**
 * Reads the lists of these resources, in their order. What refers to others comes before them: an
 * object that appears meanwhile is then in a list more often than it is missed.
 * @throws what the first list that cannot be read fails with; a list without a scope is left out
 */
export async function readAccount(
  engine: Engine,
  names: readonly ResourceName[],
  { calls, onList }: Reading,
): Promise<AccountContents> {
  const auth = await engine.lookupAuth(calls);
  const records = new Map<ResourceName, readonly ServiceRecord[]>();
  const unreadable = new Map<ResourceName, string>();
  for (const name of names) {
    const { operations, definition } = engine.contract.resources[name];
    if (operations.list === undefined) continue;
    const scope = definition.scopes.list?.scope;
    if (scope !== undefined && !allows(auth.permissions, scope)) {
      unreadable.set(name, scope);
      continue;
    }
    // Lookups show the newest first; the list itself is in the order of creation.
    const list = (await engine.lookupList(name, {}, calls)).reverse();
    records.set(name, list);
    onList(name, list.length);
  }
  return { auth, records, unreadable };
}
