/** Bringing an object to its inputs: one PATCH with what changed, then what else the change means. */
import { encodeBody, recordsIn, type Values } from "../../contract";
import { message } from "../../messages";
import { declaredInputs, isSent, present, rotates } from "../../resources";
import { EngineError, isNotForUs, PartialFailure, reasonOf } from "../errors";
import { isServed, type Operation, type Served } from "../service/operation";
import { assertOurs } from "../plan/account";
import { changesOf, refusalOf } from "../plan/diff";
import { rotateKey } from "./key";
import type { Change, Result, State } from "../types";
import { backupBefore } from "./backup";
import { isFailed, optionValues, patchBody, sentFields, validInputs } from "../values/inputs";
import { assertThere, gone, readObject } from "../service/reading";
import { failed, waitUntilReady } from "../service/ready";
import { afterRead, afterWrite, currentId, reconciled, withAccount } from "../values/state";

export async function update(op: Operation, prior: State, declared: Values): Promise<Result> {
  const inputs = validInputs(op, declared);
  assertOurs(op, prior);
  if (prior.private.account.baseUrl === op.former) await assertThere(op, prior);
  await op.seeState(prior); // Refused or not, a state has it.
  // What is worth knowing beyond the changes was reported when they were planned.
  const changes = changesOf(op.kind, prior, inputs);
  const refused = refusalOf(op, prior, inputs, changes);
  if (refused) throw new EngineError(refused);
  const patched = isServed(op)
    ? await patch(op, prior, inputs, changes)
    : withAccount(op, {
        ...prior,
        values: present({ ...prior.values, ...optionValues(op.kind, inputs) }),
      });
  const isKey = op.kind.reading.rotates !== undefined;
  const state =
    isKey && rotates(op.kind, changes) ? await rotated(op, prior, patched, inputs) : patched;
  return { state, warnings: op.warnings };
}

async function rotated(op: Operation, prior: State, patched: State, inputs: Values) {
  try {
    return await rotateKey(op, patched, inputs);
  } catch (error) {
    // What the PATCH did is true; what asks for the rotation stays as it was, so that the next run rotates.
    const { triggers, recipient } = prior.values;
    const values = present({ ...patched.values, triggers, recipient });
    const reason =
      error instanceof EngineError
        ? error.reason
        : message("rotation_failed", { reason: reasonOf(error) });
    throw new PartialFailure({ ...patched, values }, reason, op.warnings, error);
  }
}

async function patch(
  op: Operation<Served>,
  prior: State,
  inputs: Values,
  changes: readonly Change[],
): Promise<State> {
  const { fields: changed, properties, sent } = patchBody(op, inputs, changes);
  if (sent.size === 0) return withoutRequest(op, prior, inputs);
  const hasLists = Object.values(changed).some(Array.isArray);
  const fields = hasLists ? await completed(op, currentId(prior), changed) : changed;
  const { backupBefore: guard } = op.kind.reading;
  const isGuarded = guard && inputs[guard.option] === true && sent.has(guard.field);
  const backupId = isGuarded ? await backupBefore(op, prior, inputs, guard) : undefined;
  // A PUT keeps what the service shows; what it never shows only the program has.
  const isWhole = op.resource.updateMethod === "PUT";
  const given = isWhole ? sentFields(op.kind, inputs).properties : {};
  const body = encodeBody(op.resource, fields, { ...given, ...properties });
  const { record } = await op.core.update(op.kind.resource, currentId(prior), body, op.calls);
  if (backupId !== undefined) await op.journal.dropAll("backup", backupId);
  const waited = await waitUntilReady(op, inputs, record, prior);
  const state = { id: prior.id, ...afterWrite(op, waited.record, { inputs, sent, prior }) };
  if (waited.outcome === "failed") throw failed(op, waited, state);
  const left = changesOf(op.kind, state, inputs).map(({ path }) => path);
  const paths = left.filter(([head]) => isSent(op.kind, String(head)));
  if (waited.outcome === "ready" && inputs["wait"] !== false && paths.length > 0) {
    op.warn("not_taken", { subject: op.subject(prior.id, inputs["name"]), paths });
  }
  return state;
}

/** Lists are sent whole: what the program leaves open in a member stays as the service has it. */
async function completed(op: Operation<Served>, id: string, fields: Values): Promise<Values> {
  const keyed = Object.keys(fields).filter((name) => op.kind.fields[name]?.key !== undefined);
  if (keyed.length === 0) return fields;
  const reading = await op.core
    .read(op.kind.resource, id, { ...op.calls, maxAgeMs: 1_000 })
    .catch((error: unknown) => {
      // A key that may write and not read still updates.
      if (!isNotForUs(error)) throw error;
    });
  // Gone: the service says so.
  if (reading?.state !== "present") return fields;
  const shown = declaredInputs(op.kind, reading.record.fields);
  const whole = keyed.map((name) => {
    const keyOf = (member: Values) => String(member[op.kind.fields[name]?.key ?? ""]).toLowerCase();
    const had = new Map(recordsIn(shown[name]).map((member) => [keyOf(member), member]));
    const members = recordsIn(fields[name]).map((next) => ({ ...had.get(keyOf(next)), ...next }));
    return [name, members] as const;
  });
  return { ...fields, ...Object.fromEntries(whole) };
}

/**
 * Where nothing is sent, options change and free fields are as the program gives them. A host that
 * keeps a failed object updates it again without a change: what failed may work by now; otherwise it
 * fails again.
 */
async function withoutRequest(op: Operation<Served>, prior: State, inputs: Values): Promise<State> {
  let base = prior;
  if (inputs["wait"] !== false && isFailed(op, prior.values["status"])) {
    const reading = await readObject(op, prior, currentId(prior));
    if (reading.state === "gone" && op.kind.reading.whenGone === "expire") {
      base = gone(op, prior) ?? prior;
    } else if (reading.state === "gone") {
      const subject = op.subject(prior.id, prior.values["name"]);
      throw new PartialFailure(prior, message("gone", { subject }), op.warnings);
    } else {
      const waited = await waitUntilReady(op, inputs, reading.record);
      base = { id: prior.id, ...afterRead(op, prior, waited.record) };
      if (waited.outcome === "failed") throw failed(op, waited, base);
    }
  }
  const values = { ...base.values, ...optionValues(op.kind, inputs) };
  const { echo } = base.private;
  return { id: prior.id, ...reconciled(op, values, { managed: Object.keys(inputs), echo, prior }) };
}
