/**
 * A key was used, and its answer is lost for good: by a request with another body, under another
 * API key, or by one that failed. The lists show what it may have led to.
 */
import { hasCode, type WriteResult } from "../../client";
import { encodeBody, type ServiceRecord, type Values } from "../../contract";
import { engineError, isRefusal } from "../errors";
import { changesTo } from "./bring";
import type { IntentEntry } from "../journal/entry";
import { freeFields, serviceFields } from "../values/body";
import type { Operation, Served } from "../service/operation";
import { createdMs } from "../values/line";
import { isOlder, REPLAY_MARGIN_MS } from "../values/age";
import { isFixedAlike } from "../values/fixed";
import { assertTakeable, take, type Step } from "./live";

/** Candidates that a request is repeated for, once or twice each: a minute of a usual quota at most. */
const PROBED_MAX = 50;
/** Candidates that a message names. */
const NAMED_MAX = 10;

interface Unrepeatable {
  readonly why: "idempotency_conflict" | "idempotency_foreign" | "replayed_failure";
  readonly entry: IntentEntry;
  /** Sends a body under the key. */
  readonly send: (body: string) => Promise<WriteResult>;
  /** What a successful answer means. */
  readonly judge: (written: WriteResult) => Promise<Step> | Step;
}

/** @throws EngineError `found_alive`, or `candidates_left` where nothing proves which one it is */
export async function settleUnrepeatable(
  op: Operation<Served>,
  inputs: Values,
  unrepeatable: Unrepeatable,
): Promise<Step> {
  const { why, entry, send, judge } = unrepeatable;
  const young = await candidatesOf(op, inputs);
  const usedUp = { usedUp: entry.idempotencyKey };
  if (young.length === 0) return usedUp;
  if (why === "idempotency_conflict") {
    const proved = await probe(op, inputs, { young, send });
    if (proved) return judge(proved);
    throw candidatesLeft(op, young, "body");
  }
  const alike = young.filter((record) => changesTo(op, inputs, record) === undefined);
  const [only, ...more] = alike;
  if (why === "replayed_failure") {
    if (!only) return usedUp;
    if (more.length === 0 && isOlder(only, entry.serviceTime) === false) {
      const createdAt = String(only.fields["created_at"]);
      op.warn("adopted", { subject: op.subject(only.id, only.fields["name"]), createdAt });
      return { created: { record: only, serviceTime: undefined } };
    }
  }
  // A key that was found by its name has lost its secret, and may be somebody else's.
  if (!only || more.length > 0 || op.kind.reading.rotates !== undefined) {
    throw candidatesLeft(op, only ? alike : young, "key");
  }
  await assertTakeable(op, only);
  return take(op, inputs, { record: only, serviceTime: undefined });
}

const candidatesLeft = (
  op: Operation,
  records: readonly ServiceRecord[],
  other: "body" | "key",
) => {
  const ids = records.slice(0, NAMED_MAX).map(({ id }) => id);
  const [kind, count] = [op.kind.name, records.length];
  return engineError("candidates_left", { kind, ids, count, other, isShown: op.isShown });
};

/**
 * Objects that nobody here has, as young as the service's memory, whose fixed fields are these: the
 * youngest first.
 */
async function candidatesOf(op: Operation<Served>, inputs: Values): Promise<ServiceRecord[]> {
  const found = await lookForYoung(op, inputs);
  if (found.length > 0) return found;
  // A list may not show yet what a run created a moment before it was cut off.
  await op.pause(op.contract.settleWindowMs);
  return lookForYoung(op, inputs);
}

async function lookForYoung(op: Operation<Served>, inputs: Values): Promise<ServiceRecord[]> {
  const { ledger, time } = op.run;
  const { records, serviceTime } = await op.core.snapshot(op.kind.resource, op.calls);
  time.learn(serviceTime);
  const young: ServiceRecord[] = [];
  for (const record of records.values()) {
    if (isForgotten(op, record)) continue;
    if (!isFixedAlike(op.kind, inputs, record)) continue;
    if (ledger.maker(op.at(record.id)) !== undefined) continue;
    if (!(await op.isInState(record.id))) young.push(record);
  }
  // What was cut off is rarely long ago. Of equal times, what a list shows last is the youngest.
  return young.reverse().sort((a, b) => createdMs(b) - createdMs(a));
}

/** Whether the service no longer remembers what made an object; undefined where it says no time. */
function isForgotten({ contract, run }: Operation, record: ServiceRecord, marginMs = 0) {
  const now = run.time.now();
  return isOlder(record, now && now - contract.idempotencyWindowMs + marginMs);
}

/**
 * Repeats the request with each candidate's own values: the service replays its answer for the body
 * that it knows, which proves the object, and refuses every other.
 */
async function probe(
  op: Operation<Served>,
  inputs: Values,
  { young, send }: { readonly young: readonly ServiceRecord[] } & Pick<Unrepeatable, "send">,
): Promise<WriteResult | undefined> {
  for (const record of young.slice(0, PROBED_MAX)) {
    // Once the service has forgotten the key, the request would create another object.
    if (isForgotten(op, record, REPLAY_MARGIN_MS) !== false) continue;
    for (const body of bodiesOf(op, inputs, record)) {
      const written = await send(body).catch((error: unknown) => {
        if (isRefusal(error) || hasCode(error, "idempotency_conflict")) return undefined;
        throw error;
      });
      if (written) return written;
    }
  }
  return undefined;
}

/** The request as it was if the program gave the same fields then; or all that the object has. */
function bodiesOf(op: Operation<Served>, inputs: Values, record: ServiceRecord): Set<string> {
  const given = Object.keys(serviceFields(op.kind, inputs));
  const all = op.kind.inputs.map(([name]) => name);
  const free = Object.keys(freeFields(inputs));
  const bodyOf = (fields: readonly string[], properties: readonly string[]): string =>
    JSON.stringify(
      encodeBody(op.resource, picked(record.fields, fields), picked(record.properties, properties)),
    );
  return new Set([bodyOf(given, free), bodyOf(all, Object.keys(record.properties))]);
}

const picked = (values: Values, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(values, name) && (values[name] ?? null) !== null)
      .map((name) => [name, values[name]]),
  );
