/** Objects whose state came without its metadata: they are found again by their id. */
import { EngineError, type OperationOptions, type Private, type State } from "../../../engine";
import { message } from "../../../messages";
import { ProviderError } from "../../diagnostics";
import type { ResourceModel } from "../../schema/model";
import { isRecorded, privateBytes, stateOf, subjectOf, type Recorded } from "../../values/state";
import { memberOf } from "../../values/values";
import type { RawObject } from "../../wire/msgpack";
import type { Session } from "../session";

/** The metadata of an object of this account of which nothing else is known. */
export const emptyPrivate = (session: Session): Private => ({
  account: session.needEngine().account,
  profile: "",
  managed: [],
  echo: {},
});

/**
 * Finds the object by its id, as an import does; undefined where the service does not list it.
 * @throws ProviderError where the id belongs to another object by now
 */
export async function findAgain(
  session: Session,
  model: ResourceModel,
  held: RawObject,
  context: OperationOptions,
): Promise<State | undefined> {
  if (model.kind.resource === undefined) {
    return stateOf(model, held, privateBytes(emptyPrivate(session)));
  }
  const id = memberOf(held, "id");
  // Without an id nothing can be looked for, and "gone" would give the object up.
  if (typeof id !== "string")
    throw new ProviderError(message("id_missing", { kind: model.kind.name }));
  const unlessGone = (error: unknown): undefined => {
    if (!(error instanceof EngineError && error.code === "not_found")) throw error;
  };
  const found = await session.needEngine().import(model.kind, id, context).catch(unlessGone);
  const createdAt = memberOf(held, "created_at");
  const created = found?.values["created_at"];
  if (found && typeof createdAt === "string" && created !== createdAt) {
    const subject = subjectOf(model, held);
    throw new ProviderError(
      message("other_object", { subject, created: String(created), expected: createdAt }),
    );
  }
  return found;
}

/** An object that is looked for by its id, and what another provider recorded where it was moved here. */
interface MovedObject {
  readonly held: RawObject;
  readonly moved: Recorded | undefined;
  readonly found: State | undefined;
}

/**
 * The other provider's state does not say which account an object is in.
 * @throws ProviderError where it is not listed, is not as recorded, or nothing is
 */
export function assertRecorded(
  session: Session,
  model: ResourceModel,
  { held, moved, found }: MovedObject,
): void {
  if (!moved) return;
  const subject = subjectOf(model, held);
  const { baseUrl } = session.needEngine().account;
  if (!found) throw new ProviderError(message("moved_missing", { subject, baseUrl }));
  if (!isRecorded(moved)) throw new ProviderError(message("moved_unrecorded", { subject }));
  // A key that was rotated since then has the time of creation of its successor.
  const { current_key_id: key = moved.id } = found.values;
  for (const field of ["created_at", "name"] as const) {
    if (field === "created_at" && key !== moved.id) continue;
    const [recorded, now] = [moved[field], found.values[field]];
    if (typeof recorded !== "string" || recorded === now) continue;
    const parts = { subject, baseUrl, field, recorded, found: String(now) };
    throw new ProviderError(message("moved_differs", parts));
  }
}
