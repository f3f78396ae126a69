/** Reads all that an account's lists show: one walk per list, within the quota, and nothing but GETs. */
import {
  allows,
  type AuthView,
  type ResourceName,
  type ServiceRecord,
} from "../../provider/contract";
import type { Engine } from "../../provider/engine";
import { visible } from "../../provider/messages";

type Calls = NonNullable<Parameters<Engine["lookups"]["list"]>[2]>;

/** How a reading is done, and what is shown of it. */
export interface Reading {
  readonly calls: Calls;
  /** Called when a list is read, with the number of its objects. */
  readonly onList: (name: ResourceName, count: number) => void;
  readonly report: (line: string) => void;
}

/** Of a program and of an emulator's file. */
const DEPTH_MAX = 64;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** A record without free fields that are too deep to be looked at; each is reported. */
export function shallow(record: ServiceRecord, report: (line: string) => void): ServiceRecord {
  const open = Object.entries(record.properties).filter(([field, value]) => {
    const isDeep = isDeeper(value, DEPTH_MAX);
    if (isDeep) {
      const levels = `nested more than ${DEPTH_MAX} levels deep`;
      report(`warning: ${visible(field)} of ${record.id} is ${levels}, and is left out.`);
    }
    return !isDeep;
  });
  return { ...record, properties: Object.fromEntries(open) };
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
  { calls, onList, report }: Reading,
): Promise<AccountContents> {
  const auth = await engine.lookups.auth(calls);
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
    const list = (await engine.lookups.list(name, {}, calls)).reverse();
    records.set(
      name,
      list.map((each) => shallow(each, report)),
    );
    onList(name, list.length);
  }
  return { auth, records, unreadable };
}
