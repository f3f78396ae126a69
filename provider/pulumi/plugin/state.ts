/** Outputs of the plugin's resources, with their secrets. */
import { camel } from "../../contract";
import type { Path, State } from "../../engine";
import type { Kind } from "../../resources";
import { withPrivate } from "../private-state";
import { encode } from "./property-values";

/** As Pulumi stores them: what the definition calls secret is, and what came in as secret. */
export const outputsOf = (kind: Kind, state: State, secrets: readonly Path[]): Buffer =>
  encode(withPrivate(kind, state), [...secrets, ...secretFields(kind)]);

/** Fields that are secret by their definition, as paths of Pulumi's values. */
export const secretFields = (kind: Kind): Path[] =>
  Object.entries(kind.fields).flatMap(([name, field]) => (field.secret ? [[camel(name)]] : []));
