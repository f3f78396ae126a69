/**
 * API keys that rotate. An ApiKey's id is its line: the first key's id, for good; `current_key_id`
 * is the key that works now.
 */
import type { ServiceRecord, Values } from "../../contract";
import { gone, readObject } from "../service/reading";
import { present } from "../values/compare";
import { type Operation, type Served } from "../service/operation";
import { afterRead, currentId } from "../values/state";
import type { ReadResult, State } from "../types";
import { newest } from "../values/age";
import { keysOfLine, secretValues } from "../values/api-key";
import { nowOf, withDue } from "./rotate";
import { rotatorOf } from "./rotator";

interface Seen {
  readonly record: ServiceRecord;
  readonly serviceTime: string | undefined;
}

/** Adds what the engine knows of a key that was just created or imported. */
export async function keyState(
  op: Operation,
  state: State,
  { record, serviceTime }: Seen,
  inputs: Values,
): Promise<State> {
  const line = record.fields["lineage_id"];
  const values = present({
    ...state.values,
    current_key_id: record.id,
    rotated_at: record.fields["created_at"] ?? nowOf(op, serviceTime),
    rotation_due: false,
    ...(await secretValues(record.fields["value"], inputs)),
  });
  const id = typeof line === "string" ? line : state.id;
  const { ledger } = op.run;
  if (id !== record.id) ledger.note({ is: "alias", at: { kind: "api_key", id } });
  ledger.note({ is: "rotates", keyId: record.id, by: rotatorOf({ id }), made: true });
  return { ...state, id, values };
}

/** Reads a key by its line. Where keys can't be listed, the state is kept as it is. */
export async function readKey(op: Operation<Served>, prior: State): Promise<ReadResult> {
  if (op.resource.operations.list === undefined) {
    const { meta } = await op.core.authTest(op.calls);
    return { state: withDue(op, prior, prior, meta?.timestamp), warnings: [] };
  }
  const { records } = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  const id = newest(keysOfLine(records, prior.id))?.id ?? currentId(prior);
  const reading = await readObject(op, prior, id);
  if (reading.state === "gone") return gone(op, prior);
  const { record, serviceTime } = reading;
  const { values: read, private: kept } = afterRead(op, prior, record);
  const { created_at: createdAt } = prior.values;
  // The line's own beginning; when its current key was created is `rotated_at`.
  const values = createdAt === undefined ? read : { ...read, created_at: createdAt };
  if (record.id === currentId(prior)) {
    const state = { id: prior.id, values, private: { ...kept, ...lostOf(prior) } };
    return { state: withDue(op, prior, state, serviceTime), warnings: [] };
  }
  const held = values["value"] !== undefined || values["encrypted_value"] !== undefined;
  const state = {
    id: prior.id,
    values: {
      ...values,
      current_key_id: record.id,
      rotated_at: record.fields["created_at"] ?? values["rotated_at"],
    },
    private: { ...kept, ...lostOf(prior), ...(held && { lost: true }) },
  };
  op.warn("key_rotated_elsewhere", {
    subject: op.subject(prior.id, prior.values["name"]),
    current: record.id,
  });
  return { state: withDue(op, prior, state, serviceTime), warnings: op.warnings };
}

const lostOf = ({ private: { lost } }: State) => (lost === true ? { lost } : {});
