/** What becomes of each object of the account: taken over, known already, not wanted, not possible. */
import type { Contract, Values } from "../../../provider/contract";
import { check, type Kind } from "../../../provider/resources";
import type { AccountList } from "../account/list";
import type { AccountRecord } from "../account/page";
import type { KindOfAccount } from "../account/read";
import type { KnownObject, KnownObjects } from "../known/known";
import { textOf } from "../../voice";
import { isSelected, type Selection } from "./selection";
import { inputsOf, isWritable } from "./values";

/** One object of the account; a key with all that it was rotated from. */
export interface Candidate {
  readonly kind: Kind;
  /** What states and imports know it by. */
  readonly id: string;
  /** Other ids of it: those of a key's line. */
  readonly aliases: readonly string[];
  readonly name: string | undefined;
  readonly record: AccountRecord;
  readonly inputs: Values;
}

/** Something that no program can have. */
export interface Unusable {
  readonly kind: string;
  readonly id: string;
  readonly name: string | undefined;
  readonly why: string;
}

export interface KindInventory {
  readonly kind: Kind;
  /** Why the list could not be had. */
  readonly unread: string | undefined;
  /** The list changed whenever it was read. */
  readonly moved: boolean;
  readonly taken: readonly Candidate[];
  readonly known: readonly (readonly [Candidate, KnownObject])[];
  readonly unselected: readonly Candidate[];
  readonly unusable: readonly Unusable[];
  /** Ids of keys by which no object is known: one of their line stands for all of it. */
  readonly otherKeys: readonly string[];
  /** Free fields that the service shows, and how many objects have each. */
  readonly free: ReadonlyMap<string, number>;
}

interface Terms {
  readonly contract: Contract;
  readonly selection: Selection;
  readonly known: KnownObjects;
}

const NO_LIST: AccountList = { records: [], odd: [], moved: false };

export function inventoryOf({ kind, list, why }: KindOfAccount, terms: Terms): KindInventory {
  const { records, odd, moved } = list ?? NO_LIST;
  const inventory = {
    taken: [] as Candidate[],
    known: [] as [Candidate, KnownObject][],
    unselected: [] as Candidate[],
    unusable: odd.map((each): Unusable => ({ kind: kind.name, name: undefined, ...each })),
  };
  const otherKeys: string[] = [];
  const lines = linesOf(kind, records);
  const named = Map.groupBy(lines, ({ record }) => record.fields["name"]);
  for (const { record, line } of lines) {
    const candidate = candidateOf(kind, record, line, terms.selection);
    const { id, name } = candidate;
    if (line.length > 1) otherKeys.push(...line.flatMap((key) => (key.id === id ? [] : [key.id])));
    const byName = terms.known.find(kind.name, [`name=${name}`]);
    // Nobody knows which of them a program means.
    const isAlone = named.get(name)?.length === 1;
    const byId = terms.known.find(kind.name, [id, ...candidate.aliases]);
    const known = byId ?? (isAlone ? byName : undefined);
    const refusal = byName ? ambiguous(name) : refusalOf(terms.contract, candidate);
    if (known) inventory.known.push([candidate, known]);
    else if (!isSelected(record, terms.selection)) inventory.unselected.push(candidate);
    else if (refusal === undefined) inventory.taken.push(candidate);
    else inventory.unusable.push({ kind: kind.name, id, name, why: refusal });
  }
  return { kind, unread: why, moved, ...inventory, otherKeys, free: countedFree(records) };
}

const createdMs = ({ fields }: AccountRecord): number =>
  Date.parse(String(fields["created_at"])) || 0;

/** Records as objects. Of the keys of one line of rotations the newest is managed. */
function linesOf(kind: Kind, records: readonly AccountRecord[]) {
  const lines = Map.groupBy(records, (record) => {
    const lineage = kind.reading.rotates === "own-key" && record.fields["lineage_id"];
    return typeof lineage === "string" ? `line ${lineage}` : `id ${record.id}`;
  });
  return [...lines.values()].flatMap((line) => {
    const record = [...line].sort((a, b) => createdMs(a) - createdMs(b)).at(-1);
    return record ? [{ record, line }] : [];
  });
}

function candidateOf(
  kind: Kind,
  record: AccountRecord,
  line: readonly AccountRecord[],
  { properties }: Selection,
): Candidate {
  const { name, lineage_id: lineage } = record.fields;
  const ofLine = kind.reading.rotates === "own-key" && typeof lineage === "string";
  const isWanted = (property: string) => properties.some((pattern) => pattern.test(property));
  return {
    kind,
    id: ofLine ? lineage : record.id,
    aliases: line.map(({ id }) => id),
    name: typeof name === "string" ? name : undefined,
    record,
    inputs: inputsOf(kind, record, isWanted),
  };
}

const ambiguous = (name: string | undefined): string =>
  `The program imports name=${name}, which is the name of several: import each by its id.`;

/** Why no program can declare this object; undefined: one can. */
function refusalOf(contract: Contract, { kind, inputs }: Candidate): string | undefined {
  if (!isWritable(inputs)) return "It holds text that no file can: half of a Unicode character.";
  const [issue] = check(contract, kind, inputs).issues;
  return issue && textOf(issue);
}

function countedFree(records: readonly AccountRecord[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { properties } of records) {
    for (const [name, value] of Object.entries(properties)) {
      if (value !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}
