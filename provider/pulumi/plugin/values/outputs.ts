/** Outputs of the plugin's resources, with their secrets. */
import { camel } from "../../../contract";
import type { Path, State } from "../../../engine";
import type { Kind } from "../../../resources";
import { STATE_KEY, statePropertiesOf } from "../../values";
import { encode } from "./property-values";

/**
 * As Pulumi stores them: secret by definition, or because it came in as secret. The hidden output is
 * secret too where it has hashes of a secret that the service changed: a short one can be guessed.
 */
export function outputsOf(kind: Kind, state: State, secrets: readonly Path[]): Buffer {
  const all = [...secrets, ...secretFields(kind)];
  const heads = new Set(all.map(([head]) => head));
  const hasHashes = Object.keys(state.private.echo).some((path) =>
    heads.has(camel(path.split(".")[0] ?? "")),
  );
  return encode(statePropertiesOf(kind, state), hasHashes ? [...all, [STATE_KEY]] : all);
}

/** Fields that are secret by their definition, as paths of Pulumi's values. */
export const secretFields = (kind: Kind): Path[] =>
  Object.entries(kind.fields).flatMap(([name, field]) => (field.secret ? [[camel(name)]] : []));
