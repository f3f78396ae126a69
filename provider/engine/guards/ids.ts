/**
 * Two invariants about ids: none answers two creates, and none that a create of this process was
 * answered is deleted by it before the host shows that it holds it.
 */
import { EngineError } from "../errors";

export class IdGuard {
  /** Answered to a create, and by which declaration. */
  private readonly created = new Map<string, string>();
  /** Adopted, and by which declaration. */
  private readonly adopted = new Map<string, string>();
  /** In a state of the host. */
  private readonly held = new Set<string>();

  /** A state of this process holds this id, and is not being deleted. */
  hold(kind: string, id: string): void {
    this.held.add(`${kind} ${id}`);
  }

  isKnown(kind: string, id: string): boolean {
    return this.held.has(`${kind} ${id}`) || this.created.has(`${kind} ${id}`);
  }

  /** Notes the answer to a create; refuses an id that something else already has. */
  registerCreated(kind: string, id: string, by: string): void {
    const key = `${kind} ${id}`;
    const other = this.created.get(key) ?? (this.held.has(key) ? "a state" : undefined);
    if (other !== undefined) {
      throw new EngineError(
        "answered_twice",
        `The service answered the create of ${by} with ${kind} ${id}, which ${other} has already. Nothing more is done with it; report this to the service.`,
      );
    }
    this.created.set(key, by);
  }

  /** Notes who adopted an object; refuses a second one. */
  registerAdopted(kind: string, id: string, by: string): void {
    const key = `${kind} ${id}`;
    const other = this.created.get(key) ?? this.adopted.get(key);
    if (other !== undefined && other !== by) {
      throw new EngineError(
        "answered_twice",
        `${kind} ${id} can't be adopted by ${by}: ${other} has it already. Declare an object once.`,
      );
    }
    this.adopted.set(key, by);
  }

  /** Call before a delete. */
  assertDeletable(kind: string, id: string): void {
    const key = `${kind} ${id}`;
    if (!this.created.has(key) || this.held.has(key)) return;
    throw new EngineError(
      "own_create",
      `${kind} ${id} was answered to a create of this very run, so deleting it for a replacement would destroy the new object. Nothing was deleted; run the engine again.`,
    );
  }

  /** After a delete: nobody has it any more. */
  forget(kind: string, id: string): void {
    this.created.delete(`${kind} ${id}`);
    this.held.delete(`${kind} ${id}`);
  }
}
