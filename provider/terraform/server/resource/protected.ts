/** Refused deletes, in the words of an engine whose objects can be tainted and deposed. */
import { message, type Message } from "../../../messages";

/**
 * Deletion protection with a remedy that works for the object. A plan cannot tell why an object is to
 * be deleted; the delete of a tainted one comes without a plan.
 */
export function protectedInState(refused: Message, tainted: boolean): Message {
  const { code, subject, path } = refused;
  if (code !== "protected" || subject === undefined) return refused;
  return message("protected_in_state", { subject, tainted }, { path });
}
