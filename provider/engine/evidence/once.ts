/** Creating an object exactly once: an intent, then the request. */
import { hasCode } from "../../client";
import type { ServiceRecord, Values } from "../../contract";
import { message } from "../../messages";
import { engineError, isUndone } from "../errors";
import { assertTwinAllowed, subjectOfTwin, twinOf } from "./names";
import {
  assertOffered,
  isFirst,
  notOffered,
  type Operation,
  type Served,
} from "../service/operation";
import { createInScope } from "./chain";
import { keysOfCreate } from "./keys";
import { registerCreated, type Created } from "./bring";
import { seal } from "../journal/seal";
import type { Intent, IntentEntry } from "../journal/entry";
import { newEntry, requestOf } from "./new-entry";
import { recoverAny, recoverBy, search } from "./recover";

/** Idempotency keys that one create tries, where the service keeps repeating its own failure. */
const KEYS_MAX = 2;
const PAUSE_MS = 250;

/** Creates the object, or finds the one that an interrupted run created for the same purpose. */
export async function createOnce(op: Operation, inputs: Values): Promise<Created> {
  assertOffered(op, "create");
  const { journal } = op.run;
  const { bytes, purpose } = requestOf(op, inputs);
  const { bodyHash } = purpose;
  const claimed = await journal.claim(purpose, pauseForOther(op));
  // What was never sent is created only now, and then perhaps next to somebody else's. That is worth
  // a warning: a list that cannot be read must not keep the claimed intents from being followed.
  const isOpen = claimed.some(({ entry }) => entry.answer === undefined);
  // The same look, further down, fails the create.
  const before = isOpen ? await twinOf(op, inputs).catch(() => undefined) : undefined;
  const recovered = await recoverAny(op, inputs, { claimed, bodyHash });
  if (recovered) return reported(op, recovered, before);
  const keyOf = keysOfCreate(op, inputs);
  const twin = await twinOf(op, inputs);
  if (twin) assertTwinAllowed(op, inputs, twin);
  if (!keyOf) reportOutside(op);
  const created = keyOf
    ? await createInScope(op, inputs, { bytes, bodyHash, keyOf })
    : await createWithNewKey(op, inputs, { bytes, bodyHash });
  return reported(op, created, twin);
}

function reported(op: Operation, created: Created, twin: ServiceRecord | undefined): Created {
  const { id: made } = created.record;
  if (twin && twin.id !== made) {
    const parts = { made, twin: subjectOfTwin(op, twin), isShown: op.isShown };
    op.warn("made_with_same_name", parts);
  }
  return created;
}

/** A create under a random key, which nobody else knows. */
async function createWithNewKey(
  op: Operation<Served>,
  inputs: Values,
  { bytes, bodyHash }: Pick<Request, "bytes"> & { readonly bodyHash: string },
): Promise<Created> {
  const { journal, apiKey } = op.run;
  const name = inputs["name"];
  for (let tries = 1; ; tries += 1) {
    const open = await newEntry(op, {
      operation: "create",
      ...(typeof name === "string" && { name }),
      bodyHash,
    });
    const body = seal(bytes, { apiKey, nonce: op.run.nonce(), intent: open });
    const entry = { ...open, body };
    const intent = await journal.begin(entry);
    const created = await send(op, inputs, { bytes, entry, intent });
    if (created) return created;
    if (tries < KEYS_MAX) continue;
    throw engineError("not_created", { kind: op.kind.name, keys: KEYS_MAX });
  }
}

/** A scope does not reach what has no identity; said once per kind and run. */
function reportOutside({ kind, run, options, warnings }: Operation): void {
  if (options.unscoped || run.options.scope === undefined) return;
  if (!isFirst(run.told, `outside ${kind.name}`)) return;
  warnings.push(message("outside_scope", { kind: kind.name }, { subject: { kind: kind.name } }));
}

/** One pause while waiting for a process that a killed host left running; the first is reported. */
export function pauseForOther(op: Operation): () => Promise<void> {
  let reported = false;
  return () => {
    if (!reported) op.progress("waiting_for_run", {});
    reported = true;
    return op.pause(PAUSE_MS);
  };
}

interface Request {
  readonly bytes: string;
  readonly entry: IntentEntry;
  readonly intent: Intent | undefined;
}

/** Sends a create. Undefined: the service keeps failing for this key, and there is no object. */
async function send(
  op: Operation<Served>,
  inputs: Values,
  { bytes, entry, intent }: Request,
): Promise<Created | undefined> {
  const { journal } = op.run;
  try {
    const options = { ...op.calls, idempotencyKey: entry.idempotencyKey };
    const { record, meta } = await op.core.createBytes(op.kind.resource, bytes, options);
    return await registerCreated(op, intent, { record, serviceTime: meta?.timestamp });
  } catch (error) {
    if (hasCode(error, "replayed_failure")) {
      return recoverBy(op, inputs, { entry, intent }, search);
    }
    if (isUndone(error)) await journal.drop(intent);
    else await journal.abandon(intent);
    throw hasCode(error, "not_offered") ? notOffered(op.kind, "create", error.data) : error;
  }
}
