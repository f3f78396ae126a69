/** Objects of equal names, as the lists and this run have them. */
import { hasCode, isPermissionError, type Snapshot } from "../../client";
import type { ServiceRecord, Values } from "../../contract";
import { EngineError } from "../errors";
import { check } from "../plan/check";
import type { Named, Naming } from "../plan/seen";
import { isServed, type Operation, type Served } from "../service/operation";
import { newest } from "../values/time";
import { keysOfCreate } from "./attempt";
import { notesOfOpen } from "./claim";

/** Reads at most one list, a shared one. What open entries lead to is not in a create's way. */
export async function namedOf(op: Operation, declared: Values): Promise<Named | undefined> {
  if (!isServed(op)) return undefined;
  const { inputs, issues } = check(op.contract, op.kind, declared);
  const looked = issues.length > 0 ? undefined : await namesakesOf(op, declared["name"]);
  if (!looked) return undefined;
  const { name, namesakes, shown, snapshot } = looked;
  const isSuccessor = op.options.replaces !== undefined;
  const isPlannedTwice = !isSuccessor && isNamedTwice(op, name);
  let open: Named["open"] = new Map();
  let fault: Named["fault"];
  if (!isSuccessor && snapshot && namesakes.length > 0) {
    try {
      open = await notesOfOpen(op, inputs, snapshot);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      fault = error.reason;
    }
  }
  const naming = namingOf(op, inputs);
  return { ...naming, name, namesakes, shown, isSuccessor, isPlannedTwice, open, fault };
}

export const namingOf = (op: Operation<Served>, inputs: Values): Naming => ({
  contract: op.contract,
  kind: op.kind,
  sameName: op.settings.sameName,
  resume: op.settings.resume,
  isScoped: keysOfCreate(op, inputs) !== undefined,
  isShown: op.isShown,
  nowMs: op.time.now(),
});

/** Whether another plans the same name; without identity and `replans`, each is planned once. */
function isNamedTwice({ kind, options, ledger, uuid }: Operation, name: string): boolean {
  const { identity, replans } = options;
  if (identity === undefined && replans) return false;
  const named = { kind: kind.name, name, by: identity ?? uuid() };
  ledger.note({ is: "named", ...named });
  return ledger.othersNamed(named).length > 0;
}

interface Namesakes {
  readonly name: string;
  readonly namesakes: readonly ServiceRecord[];
  readonly newest?: ServiceRecord | undefined;
  /** Ids of the others of the name. */
  readonly shown: readonly string[];
  /** Undefined where the list can't be read. */
  readonly snapshot?: Snapshot;
}

/** The objects of a name that this run does not know; undefined where they are not asked for. */
export async function namesakesOf(
  op: Operation<Served>,
  name: unknown,
): Promise<Namesakes | undefined> {
  const { ledger, settings, time } = op;
  if (typeof name !== "string" || settings.sameName === "allow") return undefined;
  // What makes room for its own successor has the same name, as it should, and is known by its id.
  if (op.declared.hasState === true && !op.isShown) return undefined;
  if (op.resource.operations.list === undefined) return undefined;
  const namesakes: ServiceRecord[] = [];
  const shown: string[] = [];
  if (ledger.unlisted.has(op.kind.name)) return { name, namesakes, shown };
  const walk = op.core.snapshot(op.kind.resource, op.sharedWalk);
  const snapshot = await walk.catch((error: unknown) => {
    // A key that may write and not read still creates; asking for each object would take hours.
    const hasNone = isPermissionError(error) || hasCode(error, "not_offered");
    if (settings.sameName !== "warn" || !hasNone) throw error;
    ledger.note({ is: "unlisted", kind: op.kind.name });
    return undefined;
  });
  if (!snapshot) return { name, namesakes, shown };
  time.learn(snapshot.serviceTime);
  const named = [...snapshot.records.values()].filter(({ fields }) => fields["name"] === name);
  const { namesakes: handedOn = [] } = op.options;
  const isKnown = (id: string): boolean => ledger.isKnown(op.at(id)) || handedOn.includes(id);
  const known = named.filter(({ id }) => isKnown(id));
  // The keys of one line have one name; it is called by its first one, which may be gone.
  const lines = new Set<unknown>(known.flatMap(({ fields }) => fields["lineage_id"] ?? []));
  for (const record of named) {
    const { lineage_id: line } = record.fields;
    const isOfLine = typeof line === "string" && (lines.has(line) || isKnown(line));
    if (isKnown(record.id) || isOfLine) shown.push(record.id);
    else if (!(await op.states.has(op.at(record.id)))) namesakes.push(record);
  }
  return { name, namesakes, newest: newest(namesakes), shown, snapshot };
}
