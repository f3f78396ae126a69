/** Outputs of the plugin's resources, with their secrets. */
import { camel } from "../../../contract";
import type { Path, State } from "../../../engine";
import type { Kind } from "../../../resources";
import { STATE_KEY, withPrivate } from "../../private-state";
import { encode } from "./property-values";

/**
 * As Pulumi stores them: what the definition calls secret is, and what came in as secret. So is what
 * holds hashes of a secret that the service answers in a form of its own: a short one can be guessed.
 */
export function outputsOf(kind: Kind, state: State, secrets: readonly Path[]): Buffer {
  const all = [...secrets, ...secretFields(kind)];
  const heads = new Set(all.map(([head]) => head));
  const tells = Object.keys(state.private.echo).some((path) =>
    heads.has(camel(path.split(".")[0] ?? "")),
  );
  return encode(withPrivate(kind, state), tells ? [...all, [STATE_KEY]] : all);
}

/** Fields that are secret by their definition, as paths of Pulumi's values. */
export const secretFields = (kind: Kind): Path[] =>
  Object.entries(kind.fields).flatMap(([name, field]) => (field.secret ? [[camel(name)]] : []));
