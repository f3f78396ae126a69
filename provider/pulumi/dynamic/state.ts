/** What a dynamic resource keeps in Pulumi's state besides its values. */
import type { Values } from "../../contract";
import type { State } from "../../engine";
import type { Kind } from "../../resources";
import * as plain from "../values";

/** Inputs that the class adds and no diff sees. */
export interface Hidden {
  /** Who the object is, the same before and after a crash. */
  readonly __identity?: string;
  /** `create`, `update` and `delete` in milliseconds. */
  readonly __timeouts?: Readonly<Partial<Record<"create" | "update" | "delete", number>>>;
  /** The resource option `replaceOnChanges`. */
  readonly __replaceOn?: readonly string[];
  /** Name of the account that it is in; without one, the stack's default account. */
  readonly __account?: string;
  /** Id or `name=…` of an object to take over instead of creating one. */
  readonly adoptId?: string;
}

const hiddenKeys = ["__identity", "__timeouts", "__replaceOn", "__account", "adoptId"] as const;

export function hiddenOf(properties: Values): Hidden {
  const hidden: Record<string, unknown> = {};
  for (const key of hiddenKeys) if (key in properties) hidden[key] = properties[key];
  return hidden; // Only the class of this package writes these.
}

/** The engine's inputs, without the face's own. */
export function inputsOf(kind: Kind, properties: Values): Record<string, unknown> {
  const { adoptId: _, ...inputs } = plain.fromPulumi(kind, properties);
  return inputs;
}

export const outputsOf = (kind: Kind, state: State, hidden: Hidden): Record<string, unknown> => ({
  ...plain.statePropertiesOf(kind, state),
  ...hidden,
});

/** The managed inputs as read: drift shows by field, and `ignoreChanges` keeps current values. */
export function readInputsOf(kind: Kind, state: State, hidden: Hidden): Record<string, unknown> {
  const { managed } = state.private;
  const values = Object.entries(state.values).filter(([name]) => managed.includes(name));
  return { ...plain.toPulumi(kind, Object.fromEntries(values)), ...hidden };
}

/** The state as the engine knows it; throws where this package did not write it. */
export function stateOf(kind: Kind, id: string, properties: Values): State {
  const { adoptId: _, ...own } = properties;
  return plain.stateOf(kind, id, own);
}
