/** Objects of equal names, as the lists and this run have them. */
import type { Snapshot } from "../../client";
import type { ServiceRecord, Values } from "../../contract";
import { EngineError, isNotForUs } from "../errors";
import { check, hasUnknown } from "../../resources";
import type { Named, Naming } from "../plan/seen";
import type { Parts } from "../service/operation";
import { newest } from "../values/time";
import { message, type Message, type Subject } from "../../messages";
import { hasPurpose, type IntentEntry, type Purpose } from "../journal/entry";
import { keysOfCreate, requestOf, type Asking, type Keyed } from "./attempt";
import { wayOf, type Taker } from "./replay";
import { bodyOf, free, isAdoptable, isOfEntry, isUnreadable, type Searcher } from "./search";
import { changesTo } from "./take";

/** Reads at most one list, a shared one. What open entries lead to is not in a create's way. */
export async function namedOf(
  op: Taker & Keyed & Parts<"journal">,
  declared: Values,
): Promise<Named | undefined> {
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
  const begun = await othersBegun(op, name);
  return { ...naming, name, namesakes, shown, isSuccessor, isPlannedTwice, open, begun, fault };
}

/** Only equal bytes lead to a create without an identity: after an edit of its name nothing does. */
async function othersBegun(op: Parts<"journal" | "kind">, named: string): Promise<Subject[]> {
  const { intents } = await op.journal.list("warn");
  return intents.flatMap(({ foreign, entry: { operation, identity, kind, name, answer: id } }) => {
    const isOther = operation === "create" && identity === undefined && name !== named;
    return isOther && kind === op.kind.name && !foreign ? { kind, id, name } : [];
  });
}

export const namingOf = (
  op: Keyed & Parts<"contract" | "isShown" | "time">,
  inputs: Values,
): Naming => ({
  contract: op.contract,
  kind: op.kind,
  sameName: op.settings.sameName,
  resume: op.settings.resume,
  isScoped: keysOfCreate(op, inputs) !== undefined,
  isShown: op.isShown,
  nowMs: op.time.now(),
});

/** Whether another plans the same name; without identity and `replans`, each is planned once. */
function isNamedTwice(op: Parts<"kind" | "ledger" | "options" | "uuid">, name: string): boolean {
  const { identity, replans } = op.options;
  if (identity === undefined && replans) return false;
  const named = { kind: op.kind.name, name, by: identity ?? op.uuid() };
  op.ledger.note({ is: "named", ...named });
  return op.ledger.othersNamed(named).length > 0;
}

/** The objects of a name that this run does not know; undefined where they are not asked for. */
export async function namesakesOf(
  op: Searcher & Parts<"declared" | "isShown" | "options" | "settings" | "time">,
  name: unknown,
) {
  const { ledger, settings, time } = op;
  if (typeof name !== "string" || settings.sameName === "allow") return undefined;
  // What makes room for its own successor has the same name, as it should, and is known by its id.
  if (op.declared.hasState === true && !op.isShown) return undefined;
  // A key that may write and not read still creates; asking for each object would take hours.
  const refused = (error: unknown): undefined => {
    if (settings.sameName !== "warn" || !isNotForUs(error)) throw error;
    ledger.note({ is: "unlisted", kind: op.kind.name });
  };
  const snapshot = ledger.unlisted.has(op.kind.name)
    ? undefined
    : await op.core.snapshot(op.kind.resource, op.sharedWalk).catch(refused);
  time.learn(snapshot?.serviceTime, true);
  const all = [...(snapshot?.records.values() ?? [])];
  const named = all.filter(
    ({ fields: { name: own } }) => typeof own === "string" && own.normalize() === name.normalize(),
  );
  const { namesakes: handedOn = [] } = op.options;
  const isKnown = (id: string): boolean => ledger.isKnown(op.at(id)) || handedOn.includes(id);
  const known = named.filter(({ id }) => isKnown(id));
  // The keys of one line have one name; it is called by its first one, which may be gone.
  const lines = new Set<unknown>(known.flatMap(({ fields }) => fields["lineage_id"] ?? []));
  const namesakes: ServiceRecord[] = [];
  const shown: string[] = [];
  for (const record of named) {
    const { lineage_id: line } = record.fields;
    const isOfLine = typeof line === "string" && (lines.has(line) || isKnown(line));
    if (isKnown(record.id) || isOfLine) shown.push(record.id);
    else if (!(await op.states.has(op.at(record.id)))) namesakes.push(record);
  }
  return { name, namesakes, newest: newest(namesakes), shown, snapshot };
}

/**
 * What a create is going to find by the entries that are open for it: a note for each object's id.
 * Nothing is claimed, waited for or sent.
 * @throws EngineError where what is open can't be known, for which the create would stop
 */
async function notesOfOpen(
  op: Searcher & Asking & Parts<"journal">,
  inputs: Values,
  snapshot: Snapshot,
): Promise<ReadonlyMap<string, Message>> {
  const { journal } = op;
  const purposeOf = purposeFor(op, inputs);
  const { dead, living } = await journal.openFor(op.options.identity, (intent) =>
    hasPurpose(intent, purposeOf(intent.entry)),
  );
  const notes = new Map<string, Message>();
  for (const intent of [...dead, ...living]) {
    const { entry } = intent;
    if (!(await journal.isOwn(intent, purposeOf(entry).bodyHash))) continue;
    const [record, ...more] = await free(op, snapshot, (one) => isOfEntry(op, entry, one));
    if (!record || more.length > 0) continue;
    const isSure = entry.answer !== undefined;
    const isFound = entry.body === undefined || (!isSure && (await wayOf(op, entry)) === "search");
    if (isFound && (isUnreadable(op, entry) || !isAdoptable(op, inputs, record))) continue;
    const isReplaced = changesTo(op, inputs, record)?.replace === true;
    const isLiving = living.includes(intent);
    const parts = { subject: op.subject(record.id, entry.name), isSure, isReplaced, isLiving };
    notes.set(record.id, message("left_open", parts, { path: ["name"] }));
  }
  return notes;
}

/** The purpose of a planned create; where its bytes are not known yet, as far as an entry's may be. */
function purposeFor(op: Asking, inputs: Values): (entry: IntentEntry) => Purpose {
  if (!hasUnknown(inputs)) {
    const { purpose } = requestOf(op, inputs);
    return () => purpose;
  }
  const { identity } = op.options;
  return (entry) => {
    const body = entry.name === inputs["name"] ? bodyOf(op, entry) : undefined;
    const bodyHash = body && !changesTo(op, inputs, body) ? entry.bodyHash : "";
    return { operation: "create", kind: op.kind.name, identity, bodyHash };
  };
}
