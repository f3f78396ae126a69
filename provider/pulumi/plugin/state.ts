/** What a resource keeps in Pulumi's state beside its values: one hidden output. */
import { z } from "zod";
import type { Values } from "../../contract";
import type { Path, Private, State } from "../../engine";
import type { Kind } from "../../resources";
import { camel } from "../../contract";
import { fromPulumi, toPulumi } from "../values";
import { encode } from "./property-values";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";

/** Pulumi neither shows nor compares outputs with two underscores. */
export const STATE_KEY = "__state";

// Loose: what the engine keeps there beyond these stays as it is.
const schema = z.looseObject({
  account: z.object({ baseUrl: z.string(), environment: z.enum(["live", "test"]) }),
  profile: z.string(),
  managed: z.array(z.string()),
  echo: z.record(z.string(), z.tuple([z.string(), z.string()])),
});

/** Whether these outputs were written by this package; an import has none yet. */
export const hasState = (properties: Values): boolean => STATE_KEY in properties;

/** The state as the engine knows it; throws where this was not written by this package. */
export function stateOf(kind: Kind, id: string, properties: Values): State {
  const own = schema.safeParse(properties[STATE_KEY]);
  if (!own.success) {
    throw new Error(
      `${kind.name} ${id}: its state was not written by erphost, so it can't be used. Take it out with \`pulumi state delete\` and import the object by its id.`,
    );
  }
  return { id, values: fromPulumi(kind, properties), private: own.data satisfies Private };
}

/** Outputs as Pulumi stores them: what the definition calls secret is, and what came in as secret. */
export function outputsOf(kind: Kind, state: State, secrets: readonly Path[]): Struct {
  const values = { ...toPulumi(kind, state.values), [STATE_KEY]: state.private };
  return encode(values, [...secrets, ...secretFields(kind)]);
}

/** Fields that are secret by their definition, as paths of Pulumi's values. */
export const secretFields = (kind: Kind): Path[] =>
  Object.entries(kind.fields).flatMap(([name, field]) => (field.secret ? [[camel(name)]] : []));
