/**
 * What the engine keeps of an object beside its values, in Pulumi's state: one hidden output. It is
 * text, for Pulumi takes, logs and compares each member of an object by itself, in every step.
 */
import * as z from "zod";
import type { Values } from "../contract";
import type { Private, State } from "../engine";
import type { Kind } from "../resources";
import { fromPulumi, toPulumi } from "./values";

/** Pulumi neither shows nor compares outputs with two underscores. */
export const STATE_KEY = "__state";

// Loose: what the engine keeps there beyond these stays as it is.
const schema = z.looseObject({
  account: z.object({ baseUrl: z.string(), environment: z.enum(["live", "test"]) }),
  profile: z.string(),
  managed: z.array(z.string()),
  echo: z.record(z.string(), z.tuple([z.string(), z.string()])),
});

/** Outputs as Pulumi stores them. */
export const withPrivate = (kind: Kind, state: State): Record<string, unknown> => ({
  ...toPulumi(kind, state.values),
  [STATE_KEY]: JSON.stringify(state.private),
});

/** Whether these outputs were written by this package; an import has none yet. */
export const hasState = (properties: Values): boolean => STATE_KEY in properties;

/** The state as the engine knows it; throws where this was not written by this package. */
export function stateOf(kind: Kind, id: string, properties: Values): State {
  const own = schema.safeParse(parsed(properties[STATE_KEY]));
  if (!own.success) {
    throw new Error(
      `${kind.name} ${id}: its state was not written by erphost, so it can't be used. Take it out with \`pulumi state delete\` and import the object by its id.`,
    );
  }
  return { id, values: fromPulumi(kind, properties), private: own.data satisfies Private };
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
