/** Taking an object that exists: by its id, by any id of a key's line, or by its name. */
import { composed, type ServiceRecord, type Values } from "../../contract";
import { EngineError, engineError } from "../errors";
import { changesOf } from "../plan/diff";
import { isServed, type Operation, type Served } from "../service/operation";
import type { Result, State } from "../types";
import { newest } from "../values/time";
import { keysOfLine } from "../values/api-key";
import { afterImport } from "../values/state";
import { create } from "./create";
import { keyState } from "./key";
import { update } from "./update";

export async function importObject(op: Operation, reference: string): Promise<State> {
  if (!isServed(op)) throw engineError("not_importable", { kind: op.kind.name });
  const id = await resolveReference(op, reference);
  op.ledger.note({ is: "alias", at: op.at(id) });
  const reading = await op.core.read(op.kind.resource, id, op.sharedWalk);
  if (reading.state === "gone") throw notFound(op, "id", id);
  const { values, private: own } = afterImport(op, reading.record);
  // The host may hold it all along: its delete is then of a state without this mark.
  const state: State = { id, values, private: { ...own, resumed: op.uuid() } };
  return op.kind.reading.rotates === "own-key" ? keyState(op, state, reading, {}) : state;
}

const notFound = ({ kind, account: { baseUrl } }: Operation, by: "id" | "name", value: string) =>
  engineError("not_found", { kind: kind.name, by, value, baseUrl });

async function resolveReference(op: Operation<Served>, reference: string): Promise<string> {
  const byName = /^name=(.+)$/s.exec(reference)?.[1];
  const byLine = op.kind.reading.rotates === "own-key";
  if (byName === undefined && !byLine) return reference;
  if (byName !== undefined && op.kind.fields["name"] === undefined) {
    throw engineError("nameless", { kind: op.kind.name });
  }
  const { records } = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  if (byName === undefined) {
    // Any id of a key's line means its newest key.
    const line = records.get(reference)?.fields["lineage_id"] ?? reference;
    return newest(keysOfLine(records, line))?.id ?? reference;
  }
  const isNamed = ({ fields }: ServiceRecord) => composed(fields["name"]) === byName.normalize();
  const named = [...records.values()].filter(isNamed);
  if (byLine && new Set(named.map(({ id, fields }) => fields["lineage_id"] ?? id)).size === 1) {
    return newest(named)?.id ?? reference;
  }
  const ids = [...new Set(named.map(({ id }) => id))];
  const [only] = ids;
  if (only === undefined) throw notFound(op, "name", byName);
  if (ids.length === 1) return only;
  throw engineError("ambiguous_name", { kind: op.kind.name, name: byName, ids });
}

/**
 * Notes that the program adopts an object, so that nothing deletes it before. What can't be found now
 * may be there when it is adopted: until then, what the declaration's own state holds is kept.
 * @throws EngineError where another declaration adopts it, or where a state is known to hold it
 */
export async function plannedAdoption(op: Operation, reference: string): Promise<void> {
  if (op.declared.hasState === true || !isServed(op)) return;
  const { ledger } = op;
  const by = op.options.identity ?? reference;
  const id = await stateIdOf(op, reference).catch((error: unknown) => {
    if (!(error instanceof EngineError && error.code === "not_found")) throw error;
  });
  if (id === undefined) return ledger.note({ is: "sought", kind: op.kind.name, by, reference });
  ledger.note({ is: "adopted", at: op.at(id), by });
  if (ledger.inState(op.at(id))) throw engineError("adopts_held", { subject: op.subject(id), by });
}

/** The id that a state of the object has: of a key, that of its line. */
async function stateIdOf(op: Operation<Served>, reference: string): Promise<string> {
  const id = await resolveReference(op, reference);
  if (op.kind.reading.rotates !== "own-key") return id;
  const { records } = await op.core.snapshot(op.kind.resource, op.sharedWalk);
  const line = records.get(id)?.fields["lineage_id"];
  return typeof line === "string" ? line : id;
}

/**
 * Takes over the object and brings it to the inputs. Where the host already has an object under
 * this identity, that is being replaced, and may be the very one to be adopted: then a new one is
 * created.
 */
export async function adopt(op: Operation, reference: string, inputs: Values): Promise<Result> {
  if (op.declared.hasState) return create(op, inputs);
  const prior = await importObject(op, reference);
  const by = op.options.identity ?? reference;
  op.ledger.note({ is: "adopted", at: op.at(prior.id), by, mark: prior.private.resumed });
  const fixed = changesOf(op.kind, prior, inputs).filter(({ replace }) => replace);
  if (fixed.length === 0) return update(op, prior, inputs);
  const fields = fixed.map(({ path }) => path);
  const parts = { subject: op.subject(prior.id), fields };
  throw engineError("not_adoptable", parts, { path: fields[0] });
}
