/** The configuration of an object that exists, for engines that write it. */
import { declaredInputs } from "../../../resources";
import { readObject, writeObject } from "../../values/dynamic";
import { objectOf, valuesOf } from "../../values/state";
import type { GenerateRequest, GenerateResponse } from "../../wire/messages.gen";
import type { Session } from "../session";

/** What `erphost import` would write of the object in a state. */
export async function generateResourceConfig(
  session: Session,
  { type_name, state }: GenerateRequest,
): Promise<GenerateResponse> {
  const model = session.model(type_name);
  const object = readObject(state);
  if (object === null) return { config: writeObject(null), diagnostics: [] };
  const inputs = declaredInputs(model.kind, valuesOf(model, object));
  return { config: writeObject(objectOf(model, null, inputs, { like: null })), diagnostics: [] };
}
