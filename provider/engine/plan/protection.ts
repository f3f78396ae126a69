/** Deletion protection, which only the state knows of, and the ids that it is lifted for. */
import { message, type Message } from "../../messages";
import type { Replacement, Scope, State } from "../types";

/**
 * Why an object must not be deleted, for good or for its replacement; undefined where it may be.
 * Turned off by the same change, protection still holds: it was on when this was planned.
 */
export function protection(
  { kind, allowDelete = [] }: Scope,
  { id, values }: Pick<State, "id" | "values">,
  replacement?: Replacement,
): Message | undefined {
  if (values["deletion_protection"] !== true || allowDelete.includes(id)) return undefined;
  const { name } = values;
  const subject = { kind: kind.name, id, ...(typeof name === "string" && { name }) };
  const does = replacement ? "replace" : "delete";
  const parts = { subject, does, turnedOff: replacement?.turnedOff } as const;
  return message("protected", parts, { path: ["deletion_protection"] });
}
