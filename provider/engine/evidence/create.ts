/** Creating an object exactly once: what was begun is found, or else one attempt is made. */
import { hasCode, type WriteResult } from "../../client";
import type { Values } from "../../contract";
import { engineError } from "../errors";
import { assertNameFree } from "../plan/names";
import type { Message } from "../../messages";
import type { Kind } from "../../resources";
import { isFirst, type Parts } from "../service/operation";
import type { Intent, IntentEntry } from "../journal/entry";
import {
  attempt,
  claim,
  decide,
  followed,
  keysOfCreate,
  requestOf,
  type Attempt,
  type Keyed,
  type KeySource,
  type Sender,
} from "./attempt";
import { namesakesOf, namingOf } from "./names";
import {
  assertUnmade,
  findOf,
  isOfThisCall,
  ofCandidates,
  replayed,
  unrepeatable,
  type Taker,
} from "./replay";
import { isAdoptable, look, orphanSuspected, search, type Found } from "./search";
import { isTaken, take, type Created } from "./take";
import { afterAnswer, refusalOfEarlier, type Verdict } from "./verdicts";
import { isReplayable } from "../values/time";

/** Random keys that one create tries, where the service keeps repeating its own failure. */
const RANDOM_MAX = 2;
/** Objects of one declaration that may be made and removed within the service's memory. */
const DERIVED_MAX = 50;

type Creator = Taker & Sender & Keyed & Parts<"said" | "turns">;

export async function createOnce(op: Creator, inputs: Values): Promise<Created> {
  const { kind, options, settings } = op;
  const { name } = inputs;
  if (op.resource.operations.create === undefined) throw notOffered(kind);
  const request = requestOf(op, inputs);
  const { purpose } = request;
  const claimed = await claim(op, purpose);
  // What was never sent is created only now, and then perhaps next to somebody else's. That is worth
  // a warning: a list that cannot be read must not keep the claimed entries from being followed.
  const isOpen = claimed.some(({ entry }) => entry.answer === undefined);
  // The same look, further down, fails the create.
  const before = isOpen ? await namesakesOf(op, name).catch(() => undefined) : undefined;
  let namesake = before?.newest;
  let created =
    claimed.length === 0 ? undefined : await createdEarlier(op, inputs, claimed, purpose.bodyHash);
  if (!created) {
    const keys = keysOfCreate(op, inputs);
    namesake = (await namesakesOf(op, name))?.newest;
    if (namesake) assertNameFree(namingOf(op, inputs), inputs, namesake);
    // A scope does not reach what has no identity; said once per kind and run.
    const isOutside = !keys && !options.unscoped && settings.scope !== undefined;
    if (isOutside && isFirst(op.said, `outside ${kind.name}`)) {
      op.warn("outside_scope", { kind: kind.name }, { subject: { kind: kind.name } });
    }
    created = await send(op, inputs, request, keys);
  }
  const { id: made } = created.record;
  if (namesake && namesake.id !== made) {
    const subject = op.subject(namesake.id, namesake.fields["name"]);
    op.warn("made_with_same_name", { made, namesake: subject, isShown: op.isShown });
  }
  return created;
}

/** By the service's profile, or by its own answer, which comes first. */
const notOffered = ({ name: kind, reading }: Kind, answer?: Message) => {
  const rotation = reading.rotates === "own-key";
  return engineError("not_offered", { kind, operation: "create", rotation, answer });
};

/** Sends it under random keys, or under those of its scope. */
async function send(
  op: Creator,
  inputs: Values,
  { bytes, purpose }: ReturnType<typeof requestOf>,
  keys: KeySource | undefined,
): Promise<Created> {
  const { kind, turns } = op;
  const { name } = inputs;
  const { identity, derived } = op.options;
  const own = identity === undefined || derived ? undefined : `${kind.name} ${identity}`;
  const declaration = keys?.() ?? own;
  const ask = async (entry: IntentEntry): Promise<Verdict<Created>> => {
    const judge = async (written: WriteResult): Promise<Verdict<Created>> => {
      const { record, meta } = written;
      if (keys && !isOfThisCall(written, entry.serviceTime)) {
        return afterAnswer(replayed(op, inputs, record));
      }
      op.time.learn(meta?.timestamp); // That of a replay may be of the first answer.
      return { is: "done", id: record.id, found: { record, serviceTime: meta?.timestamp } };
    };
    const options = { ...op.calls, idempotencyKey: entry.idempotencyKey };
    const sent = op.core.createBytes(kind.resource, bytes, options);
    const verdict = await sent.then(judge, (error: unknown) => {
      const why = unrepeatable(error);
      if (keys && why) return afterAnswer(ofCandidates(op, inputs, { why, entry, judge }));
      if (why === "replayed_failure") return undefined;
      throw hasCode(error, "not_offered") ? notOffered(kind, error.data) : error;
    });
    if (verdict) return registered(op, entry, verdict);
    const found = async () => ofFound(op, inputs, entry, await search(op, entry));
    return found().catch(refusalOfEarlier);
  };
  const about = {
    ...purpose,
    name: typeof name === "string" ? name : undefined,
    scoped: keys && (true as const),
  };
  const linksMax = keys ? DERIVED_MAX : RANDOM_MAX;
  const made = { about, bytes, keys, linksMax, ask };
  if (declaration === undefined) return attempt(op, made);
  const earlier = turns.get(declaration) ?? [];
  const mine = earlier.length > 0 ? inTurn(op, earlier, made) : attempt(op, made);
  turns.set(declaration, [...earlier, mine]);
  return mine;
}

/** Two at once of one declaration would each wait for the other's answer, or make another object. */
async function inTurn(
  op: Creator,
  earlier: readonly Promise<Pick<Created, "record">>[],
  made: Attempt<Created>,
): Promise<Created> {
  for (const create of earlier) {
    const other = await create.catch(() => undefined); // Its caller has the error.
    // A host that plans on in the same process may replace what it shows now.
    if (other && !op.ledger.inState(op.at(other.record.id))) assertUnmade(op, other.record.id);
  }
  return attempt(op, made);
}

/**
 * The object of the first claimed entry that leads to one. One that was answered may already be in the
 * host's state. Where the host showed the id that it has, that is known; where it replaces an object
 * without showing it (`--replace`), what it deletes will show it.
 */
async function createdEarlier(
  op: Taker & Sender,
  inputs: Values,
  claimed: readonly Intent[],
  bodyHash: string,
): Promise<Created | undefined> {
  const open: Intent[] = [];
  for (const intent of claimed) {
    const { answer } = intent.entry;
    const isKnown = answer !== undefined && (await isTaken(op, answer));
    const { hasState, live } = op.declared;
    if (isKnown || (answer !== undefined && hasState && live === undefined)) {
      const verdict = { is: isKnown ? "taken" : "shown_by_delete" } as const;
      await decide(op, intent, Promise.resolve(verdict), refusalOfEarlier);
    } else {
      open.push(intent);
    }
  }
  return followed(op, open, async (intent) => {
    const { entry } = intent;
    if (await op.journal.isOwn(intent, bodyHash)) {
      return ofFound(op, inputs, entry, await findOf(op, entry));
    }
    // The host has most likely stored what a run that exited cleanly created. Another declaration
    // under the same identity may be an edit, or be in another state: it gets nothing that may be
    // another's.
    const { answer, identity, name } = entry;
    if (answer === undefined || !(await look(op, answer))) return { is: "nothing" };
    const subject = op.subject(answer, name);
    throw engineError("handed_over", { subject, token: identity ?? "", intent: entry.id });
  });
}

/** What an entry led to is taken, unless somebody has it, or it may be somebody else's. */
async function ofFound(
  op: Taker,
  inputs: Values,
  entry: IntentEntry,
  begun: Found | undefined,
): Promise<Verdict<Created>> {
  if (!begun) return { is: "nothing" };
  const { record, doubtful } = begun;
  if (await isTaken(op, record.id)) return { is: "taken" };
  if (doubtful && !isAdoptable(op, inputs, record)) throw orphanSuspected(op, entry, [record]);
  const verdict = await take(op, inputs, begun);
  // Since then somebody may have imported it elsewhere.
  const isOld = async () => !isReplayable(op.contract, await op.time.ageOf(entry, op.calls));
  if (verdict.is === "unwanted" && (await isOld()))
    throw orphanSuspected(op, entry, [record], "old");
  return registered(op, entry, verdict);
}

/** Notes whose the object is, and refuses another's. */
function registered(
  op: Parts<"kind" | "ledger" | "options">,
  entry: IntentEntry,
  verdict: Verdict<Created>,
): Verdict<Created> {
  if (!("found" in verdict)) return verdict;
  const { ledger } = op;
  const { resumed: mark } = verdict.found;
  const at = { kind: op.kind.name, id: verdict.id };
  ledger.note({ is: "made", at, by: op.options.identity ?? entry.id });
  if (mark !== undefined) ledger.note({ is: "taken", at, mark });
  return verdict;
}
