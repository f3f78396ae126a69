/** Creating under derived keys: one key after another, until one leads to an object that is ours. */
import { hasCode, type WriteResult } from "../../client";
import type { Values } from "../../contract";
import { engineError, EngineError, isUndone } from "../errors";
import { registerCreated, type Created } from "./bring";
import { seal } from "../journal/seal";
import type { IntentEntry } from "../journal/entry";
import { newEntry } from "./new-entry";
import { notOffered, type Operation, type Run, type Served } from "../service/operation";
import { isOlder } from "../values/age";
import { settleUnrepeatable } from "./candidates";
import type { KeyOf } from "./keys";
import { settle, type Step } from "./live";

/** Objects of one declaration that may be made and removed within the service's memory. */
const LINKS_MAX = 50;

interface Request {
  readonly bytes: string;
  readonly bodyHash: string;
  readonly keyOf: KeyOf;
}

/** Creates the object, or takes the one that an earlier run created for this declaration. */
export function createInScope(
  op: Operation<Served>,
  inputs: Values,
  request: Request,
): Promise<Created> {
  const { ledger } = op.run;
  const { keyOf } = request;
  const first = keyOf();
  return inTurn(op.run.turns, first, async () => {
    const made = ledger.madeUnder(first);
    if (made !== undefined && ledger.maker(op.at(made)) !== undefined) {
      throw sharedIdentity(op, made);
    }
    let previous: string | undefined;
    for (let link = 0; link < LINKS_MAX; link += 1) {
      const step = await ask(op, inputs, { ...request, key: keyOf(previous) });
      if ("created" in step) {
        return step.created;
      }
      previous = step.usedUp;
    }
    throw engineError("generations_used_up", { kind: op.kind.name, count: LINKS_MAX });
  });
}

/** Runs creates of one first key in turn: two at once would each wait for the other's answer. */
async function inTurn<T>(turns: Run["turns"], key: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  turns.set(key, mine);
  return mine;
}

const sharedIdentity = (op: Operation, id: string): EngineError =>
  engineError("identity_shared", {
    subject: op.subject(id),
    identity: op.options.identity,
  });

/** Sends the request under one key, with an intent like any create. */
async function ask(
  op: Operation<Served>,
  inputs: Values,
  { bytes, bodyHash, keyOf, key }: Request & { readonly key: string },
): Promise<Step> {
  const { journal, apiKey } = op.run;
  const name = inputs["name"];
  const open = await newEntry(op, {
    operation: "create",
    ...(typeof name === "string" && { name }),
    bodyHash,
    idempotencyKey: key,
    scoped: true,
  });
  const entry = { ...open, body: seal(bytes, { apiKey, nonce: op.run.nonce(), intent: open }) };
  const intent = await journal.begin(entry);
  try {
    const step = await answered(op, inputs, { bytes, entry });
    if ("usedUp" in step) await journal.drop(intent);
    else await registerCreated(op, intent, step.created, keyOf());
    return step;
  } catch (error) {
    // Kept, a refused one would lead the next run to an object that may be somebody else's.
    const isOver = error instanceof EngineError || isUndone(error);
    await (isOver ? journal.drop(intent) : journal.abandon(intent));
    throw hasCode(error, "not_offered") ? notOffered(op.kind, "create", error.data) : error;
  }
}

async function answered(
  op: Operation<Served>,
  inputs: Values,
  { bytes, entry }: { readonly bytes: string; readonly entry: IntentEntry },
): Promise<Step> {
  const send = (body: string): Promise<WriteResult> =>
    op.core.createBytes(op.kind.resource, body, {
      ...op.calls,
      idempotencyKey: entry.idempotencyKey,
    });
  const judge = (written: WriteResult): Promise<Step> | Step => {
    const { record, meta } = written;
    return isOfThisCall(written, entry.serviceTime)
      ? { created: { record, serviceTime: meta?.timestamp } }
      : settle(op, inputs, record);
  };
  try {
    return await judge(await send(bytes));
  } catch (error) {
    const why = UNREPEATABLE.find((code) => hasCode(error, code));
    if (why === undefined) throw error;
    return settleUnrepeatable(op, inputs, { why, entry, send, judge });
  }
}

const UNREPEATABLE = ["idempotency_conflict", "idempotency_foreign", "replayed_failure"] as const;

/**
 * Whether the answer is about what this call itself did. A service need not mark a replay: an object
 * that is older than the request shows it, too. An attempt of this call may have been replayed to it.
 */
function isOfThisCall({ record, replayed, leftOpen }: WriteResult, beganMs: number | undefined) {
  const older = isOlder(record, beganMs);
  return replayed ? leftOpen && older === false : older !== true;
}
