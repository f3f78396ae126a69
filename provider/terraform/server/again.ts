/** Objects whose state came without what is kept beside it: their id leads to them once more. */
import { EngineError, type OperationOptions, type Private, type State } from "../../engine";
import type { ResourceModel } from "../schema/model";
import { idOf, privateBytes, stateOf } from "../values/state";
import { memberOf } from "../values/values";
import type { RawObject } from "../wire/msgpack";
import type { Session } from "./session";

/** What is kept beside an object of this account of which nothing else is known. */
export const barePrivate = (session: Session): Private => ({
  account: session.needEngine().account,
  profile: "",
  managed: [],
  echo: {},
});

/**
 * The object, as an import finds it; undefined where the service does not list it.
 * @throws Error where the id is another object's by now
 */
export async function foundAgain(
  session: Session,
  model: ResourceModel,
  held: RawObject,
  context: OperationOptions,
): Promise<State | undefined> {
  if (model.kind.resource === undefined) {
    return stateOf(model, held, privateBytes(barePrivate(session)));
  }
  const found = await imported(session, model, held, context);
  const createdAt = memberOf(held, "created_at");
  const now = found?.values["created_at"];
  if (found && typeof createdAt === "string" && now !== createdAt) {
    throw new Error(
      `${model.typeName} ${idOf(held)} was created at ${createdAt}, and the one that this account has at ${String(now)}: it is another object, and is left alone. Take it out of the state (\`state rm\`).`,
    );
  }
  return found;
}

async function imported(
  session: Session,
  model: ResourceModel,
  held: RawObject,
  context: OperationOptions,
): Promise<State | undefined> {
  try {
    return await session.needEngine().import(model.kind, idOf(held), context);
  } catch (error) {
    if (error instanceof EngineError && error.code === "not_found") return undefined;
    throw error;
  }
}
