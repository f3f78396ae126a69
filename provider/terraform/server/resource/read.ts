/** Reading and importing: the object in the service becomes a state. */
import { failure, warning } from "../../diagnostics";
import { readObject, writeObject } from "../../values/dynamic";
import {
  identityOf,
  NAMELESS,
  objectOf,
  privateBytes,
  stateOf,
  UNREAD,
  valuesOf,
} from "../../values/state";
import {
  type ImportRequest,
  type ImportResponse,
  type ReadRequest,
  type ReadResponse,
} from "../../wire/messages.gen";
import { emptyPrivate, findAgain } from "./find-again";
import type { Session } from "../session";

export async function readResource(session: Session, request: ReadRequest): Promise<ReadResponse> {
  const model = session.model(request.type_name);
  const current = readObject(request.current_state);
  if (current === null) return { new_state: writeObject(null), diagnostics: [] };
  try {
    const unread = session.unread();
    if (unread) {
      const diagnostics = unread.map((each) => warning(model.attributes, each));
      return { new_state: writeObject(current), private: request.private, diagnostics };
    }
    const context = session.reading(identityOf(current));
    let own = request.private;
    if (own.equals(UNREAD)) {
      const found = await findAgain(session, model, current, context);
      if (found) {
        const values = { ...valuesOf(model, current), ...found.values };
        return {
          new_state: writeObject(objectOf(model, found.id, values, { like: current })),
          private: privateBytes(found.private),
          diagnostics: [],
        };
      }
      own = privateBytes(emptyPrivate(session));
    }
    const prior = stateOf(model, current, own);
    const { state, warnings } = await session.needEngine().read(model.kind, prior, context);
    const diagnostics = [...session.takeWarnings(), ...warnings].map((each) =>
      warning(model.attributes, each),
    );
    if (!state) return { new_state: writeObject(null), diagnostics };
    return {
      new_state: writeObject(objectOf(model, state.id, state.values, { like: current })),
      private: privateBytes(state.private),
      diagnostics,
    };
  } catch (error) {
    // An error that this run has explained needs no repetition: it ends the run all the same.
    const diagnostics = session.isExplained(error)
      ? []
      : failure(`Reading ${model.typeName}`, model.attributes, error);
    return { new_state: writeObject(current), private: request.private, diagnostics };
  }
}

export async function importResourceState(
  session: Session,
  { type_name, id }: ImportRequest,
): Promise<ImportResponse> {
  const model = session.model(type_name);
  try {
    const found = await session.needEngine().import(model.kind, id, session.reading());
    const state = writeObject(objectOf(model, found.id, found.values, { like: NAMELESS }));
    const resource = { type_name, state, private: privateBytes(found.private) };
    return { imported_resources: [resource], diagnostics: [] };
  } catch (error) {
    const inFull = () => failure(`Importing ${type_name}`, model.attributes, error);
    return { diagnostics: session.tell(error, inFull) };
  }
}
