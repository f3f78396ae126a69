/**
 * A derived key was used, and its answer is lost for good: by a request with another body, under
 * another API key, or by one that failed. The lists show what it may have led to.
 */
import { hasCode, type WriteResult } from "../../client";
import { encodeBody, type ServiceRecord, type Values } from "../../contract";
import { engineError, isRefusal } from "../errors";
import type { IntentEntry } from "../journal/entry";
import type { Operation, Served } from "../service/operation";
import { isOlder, REPLAY_MARGIN_MS } from "../values/time";
import { sentFields } from "../values/inputs";
import { takeAlive, type Unrepeatable } from "./replay";
import { isForgotten, youngAlike } from "./search";
import { changesTo, type Created } from "./take";
import type { Verdict } from "./verdicts";

/** Candidates that a request is repeated for, once or twice each: a minute of a usual quota at most. */
const PROBED_MAX = 50;
const NAMED_MAX = 10;

interface Lost {
  readonly why: Unrepeatable;
  readonly entry: IntentEntry;
  readonly judge: (written: WriteResult) => Promise<Verdict<Created>>;
}

/** @throws EngineError `found_alive`, or `candidates_left` where nothing proves which one it is */
export async function ofCandidates(
  op: Operation<Served>,
  inputs: Values,
  { why, entry, judge }: Lost,
): Promise<Verdict<Created>> {
  const young = await youngAlike(op, inputs);
  const usedUp = { is: "used_up", previous: entry.idempotencyKey } as const;
  if (young.length === 0) return usedUp;
  if (why === "idempotency_conflict") {
    const proved = await proveByBody(op, inputs, young, entry.idempotencyKey);
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
      return { is: "ours", id: only.id, found: { record: only, serviceTime: undefined } };
    }
  }
  // A key that was found by its name has lost its secret, and may be somebody else's.
  if (!only || more.length > 0 || op.kind.reading.rotates !== undefined) {
    throw candidatesLeft(op, only ? alike : young, "key");
  }
  return takeAlive(op, inputs, { record: only, serviceTime: undefined });
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

/** The service proves it: it replays its answer for the body that it knows, and refuses others. */
async function proveByBody(
  op: Operation<Served>,
  inputs: Values,
  young: readonly ServiceRecord[],
  idempotencyKey: string,
): Promise<WriteResult | undefined> {
  const options = { ...op.calls, idempotencyKey };
  for (const record of young.slice(0, PROBED_MAX)) {
    // Once the service has forgotten the key, the request would create another object.
    if (isForgotten(op, record, REPLAY_MARGIN_MS) !== false) continue;
    for (const body of bodiesOf(op, inputs, record)) {
      const repeated = op.core.createBytes(op.kind.resource, body, options);
      const written = await repeated.catch((error: unknown) => {
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
  const { fields, properties } = sentFields(op.kind, inputs);
  const all = op.kind.inputs.map(([name]) => name);
  const bodyOf = (fields: readonly string[], properties: readonly string[]): string =>
    JSON.stringify(
      encodeBody(op.resource, picked(record.fields, fields), picked(record.properties, properties)),
    );
  return new Set([
    bodyOf(Object.keys(fields), Object.keys(properties)),
    bodyOf(all, Object.keys(record.properties)),
  ]);
}

const picked = (values: Values, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(values, name) && (values[name] ?? null) !== null)
      .map((name) => [name, values[name]]),
  );
