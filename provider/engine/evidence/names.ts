/** Objects of equal names: names need not be unique, but a second object of one name is rarely meant. */
import { hasCode, isPermissionError, type Snapshot } from "../../client";
import type { ServiceRecord, Values } from "../../contract";
import { message, type Message, type Subject } from "../../messages";
import { EngineError } from "../errors";
import { foretold } from "./claim";
import { isReplayable } from "../service/time";
import { isFirst, isServed, type Operation, type Served } from "../service/operation";
import { check } from "../plan/check";
import { createdMs } from "../values/line";
import { isFixedAlike } from "../values/fixed";
import { keysOfCreate } from "./keys";
import type { Foreseen } from "../types";

/**
 * What a plan says of a create whose name is taken. Reads at most one list, and shares that. What the
 * create will find by its open intents is not in its way.
 */
export async function plannedNames(op: Operation, declared: Values): Promise<Foreseen> {
  const { told, options } = op.run;
  const { name } = declared;
  if (!isServed(op) || !hasChecks(op, name)) return { refused: undefined, notes: [] };
  const { inputs } = check(op.contract, op.kind, declared);
  const { namesakes, shown = [], snapshot } = await namesakesOf(op, name);
  // The name of a successor is its predecessor's.
  if (op.options.replaces) return { refused: undefined, notes: [], namesakes: shown };
  const { left = NONE, fault } =
    snapshot && namesakes.length > 0 ? await leftFor(op, inputs, snapshot) : {};
  const isNew = ({ code }: Message): boolean => isFirst(told, `${code} ${op.kind.name} ${name}`);
  const taken = namesakes.flatMap(({ id }) => left.get(id) ?? []).filter(isNew);
  // Whoever took another one of the name instead would leave what a run that was cut off has made.
  const twin = fault || left.size > 0 ? undefined : newestOf(namesakes);
  const isOurs = twin !== undefined && mayBeOurs(op, inputs, twin);
  const faults: Message[] = fault ? [fault] : [];
  if (twin) faults.push(isOurs ? possiblyOurs(op, twin) : sameName(op, twin).reason);
  // Until a run that was cut off is continued, another name would leave what it has made. It comes
  // first: nothing shows which of two declarations an object of their name is for.
  if (isPlannedTwice(op, name) && left.size === 0) {
    const subject = { kind: op.kind.name, name };
    faults.unshift(message("planned_twice", { subject }, { path: ["name"] }));
  }
  const fresh = faults.filter(isNew);
  const [refused, ...others] = fresh;
  return options.sameName === "error" && !(isOurs && options.resume)
    ? { refused, notes: [...taken, ...others], namesakes: shown }
    : { refused: undefined, notes: [...taken, ...fresh], namesakes: shown };
}

/**
 * Whether another declaration of this run plans the same. Hosts that give an identity may plan a
 * declaration repeatedly, the others plan each once unless they say otherwise.
 */
function isPlannedTwice({ kind, options, run }: Operation, name: string): boolean {
  const { identity, replans } = options;
  if (identity === undefined && replans) return false;
  const named = { kind: kind.name, name, by: identity ?? run.uuid() };
  run.ledger.note({ is: "named", ...named });
  return run.ledger.othersNamed(named).length > 0;
}

const NONE: ReadonlyMap<string, Message> = new Map();

interface Left {
  /** A note for each object that open intents lead to. */
  readonly left?: ReadonlyMap<string, Message>;
  /** Why nobody can know them, so that the create is going to stop. */
  readonly fault?: Message;
}

async function leftFor(op: Operation<Served>, inputs: Values, snapshot: Snapshot): Promise<Left> {
  try {
    return { left: await foretold(op, inputs, snapshot) };
  } catch (error) {
    if (error instanceof EngineError) return { fault: error.reason };
    throw error;
  }
}

/** The newest object of the same name that this run does not know, where that is asked for. */
export async function twinOf(op: Operation, inputs: Values): Promise<ServiceRecord | undefined> {
  const { name } = inputs;
  if (!isServed(op) || !hasChecks(op, name)) return undefined;
  return newestOf((await namesakesOf(op, name)).namesakes);
}

const newestOf = (records: readonly ServiceRecord[]): ServiceRecord | undefined =>
  records.reduce<ServiceRecord | undefined>(
    (newest, one) => (!newest || createdMs(one) >= createdMs(newest) ? one : newest),
    undefined,
  );

interface Namesakes {
  readonly namesakes: readonly ServiceRecord[];
  /** Ids of the others of the name. */
  readonly shown?: readonly string[];
  readonly snapshot?: Snapshot;
}

/** The objects of a name that this run does not know. */
async function namesakesOf(op: Operation<Served>, name: string): Promise<Namesakes> {
  const { ledger, options, time } = op.run;
  if (ledger.isUnlisted(op.kind.name)) return { namesakes: [] };
  const walk = op.core.snapshot(op.kind.resource, op.sharedWalk);
  const snapshot = await walk.catch((error: unknown) => {
    // A key that may write and not read still creates; asking for each object would take hours.
    const hasNone = isPermissionError(error) || hasCode(error, "not_offered");
    if (options.sameName !== "warn" || !hasNone) throw error;
    ledger.note({ is: "unlisted", kind: op.kind.name });
    return undefined;
  });
  if (!snapshot) return { namesakes: [] };
  time.learn(snapshot.serviceTime);
  const namesakes: ServiceRecord[] = [];
  const shown: string[] = [];
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
    else if (!(await op.isInState(record.id))) namesakes.push(record);
  }
  return { namesakes, shown, snapshot };
}

export const subjectOfTwin = (op: Operation, { id, fields }: ServiceRecord): Subject =>
  op.subject(id, fields["name"]);

/**
 * Refuses a create next to a twin. A run that was cut off may have created it: while the service
 * remembers that, the request itself shows it. What is older can't be asked about any more.
 * @throws EngineError `same_name`
 */
export function assertTwinAllowed(op: Operation, inputs: Values, twin: ServiceRecord): void {
  const { resume, sameName: given } = op.run.options;
  if (!resume || keysOfCreate(op, inputs) === undefined) {
    if (given !== "error") return;
    throw mayBeOurs(op, inputs, twin)
      ? new EngineError(possiblyOurs(op, twin))
      : sameName(op, twin);
  } else if (!mayBeOurs(op, inputs, twin)) {
    const unproved = isFixedAlike(op.kind, inputs, twin) ? "old" : "different";
    throw sameName(op, twin, unproved);
  }
}

/**
 * Whether an earlier run of this scope may have created it under the key of this create, so that the
 * service still remembers. After an edit that no update can make, the key is another one.
 */
function mayBeOurs(op: Operation, inputs: Values, twin: ServiceRecord): boolean {
  if (keysOfCreate(op, inputs) === undefined) return false;
  if (!isFixedAlike(op.kind, inputs, twin)) return false;
  const now = op.run.time.now() ?? Number.NaN;
  const ageMs = now - Date.parse(String(twin.fields["created_at"]));
  return isReplayable(op.contract, Math.max(0, ageMs));
}

const possiblyOurs = (op: Operation, twin: ServiceRecord): Message => {
  const createdAt = String(twin.fields["created_at"]);
  const { resume } = op.run.options;
  const parts = { subject: subjectOfTwin(op, twin), createdAt, isShown: op.isShown, resume };
  return message("possibly_ours", parts, { path: ["name"] });
};

/** What makes room for its own successor has the same name, as it should, and is known by its id. */
const hasChecks = (op: Operation<Served>, name: unknown): name is string =>
  typeof name === "string" &&
  op.run.options.sameName !== "allow" &&
  (op.declared.hasState !== true || op.isShown) &&
  op.resource.operations.list !== undefined;

function sameName(op: Operation, twin: ServiceRecord, unproved?: "old" | "different"): EngineError {
  const parts = { subject: subjectOfTwin(op, twin), isShown: op.isShown, unproved };
  return new EngineError(message("same_name", parts, { path: ["name"] }));
}
