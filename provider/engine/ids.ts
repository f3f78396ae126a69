/**
 * Three invariants about ids: none answers two creates, none that a create of this process was
 * answered is deleted by it before the host shows that it holds it, and none that its program adopts,
 * or may adopt, is deleted as what a state before the adoption held.
 */
import { message, type Message, type Subject } from "../messages";
import { EngineError, engineError } from "./errors";
import type { State } from "./types";

interface Adoption {
  /** Which declaration adopts it. */
  readonly by: string;
  /** What the state that comes of it is known by; undefined before there is one. */
  readonly mark?: string | undefined;
}

export class IdGuard {
  /** Answered to a create, and by which declaration. */
  private readonly created = new Map<string, string>();
  private readonly adopted = new Map<string, Adoption>();
  /** What a declaration is to adopt and was not found, perhaps since its state renamed the object. */
  private readonly sought = new Map<string, string>();
  /** In a state of the host. */
  private readonly held = new Set<string>();

  /** A state of this process holds this id, and is not being deleted. */
  hold(kind: string, id: string): void {
    this.held.add(`${kind} ${id}`);
  }

  isHeld(kind: string, id: string): boolean {
    return this.held.has(`${kind} ${id}`);
  }

  /** Everything that a state of this process holds, with its kind. */
  heldIds(): readonly string[] {
    return [...this.held];
  }

  /** The declaration whose create was answered this id. */
  creatorOf(kind: string, id: string): string | undefined {
    return this.created.get(`${kind} ${id}`);
  }

  isKnown(kind: string, id: string): boolean {
    return this.held.has(`${kind} ${id}`) || this.created.has(`${kind} ${id}`);
  }

  /** Notes the answer to a create; refuses an id that something else already has. */
  registerCreated(kind: string, id: string, by: string): void {
    const key = `${kind} ${id}`;
    const other = this.created.get(key) ?? (this.held.has(key) ? "a state" : undefined);
    if (other !== undefined) {
      throw engineError("answered_twice", { subject: { kind, id }, by, other });
    }
    this.created.set(key, by);
  }

  /** Notes who adopts an object, also before it does; refuses a second one. */
  registerAdopted(kind: string, id: string, { by, mark }: Adoption): void {
    const key = `${kind} ${id}`;
    const other = this.created.get(key) ?? this.adopted.get(key)?.by;
    if (other !== undefined && other !== by) {
      throw engineError("adopted_twice", { subject: { kind, id }, by, other });
    }
    this.adopted.set(key, { by, mark });
    this.sought.delete(`${kind} ${by}`);
  }

  /** Notes that a declaration is to adopt what is not found yet. */
  registerSought(kind: string, { by, sought }: { by: string; sought: string }): void {
    this.sought.set(`${kind} ${by}`, sought);
  }

  /** Call before a delete of what a state of this declaration holds. */
  assertNotSought(subject: Subject, by = ""): void {
    const sought = this.sought.get(`${subject.kind} ${by}`);
    if (sought !== undefined) throw engineError("adopts_held", { subject, by, sought });
  }

  /** Why a state cannot be of this object: the program adopts it, and another state comes of that. */
  adoptionOf(kind: string, { id, private: { resumed } }: State): Message | undefined {
    const adoption = this.adopted.get(`${kind} ${id}`);
    if (!adoption || (adoption.mark !== undefined && adoption.mark === resumed)) return undefined;
    return message("adopts_held", { subject: { kind, id }, by: adoption.by });
  }

  /** Call before a delete. */
  assertDeletable(kind: string, prior: State): void {
    const { id } = prior;
    const adopted = this.adoptionOf(kind, prior);
    if (adopted) throw new EngineError(adopted);
    const key = `${kind} ${id}`;
    if (!this.created.has(key) || this.held.has(key)) return;
    throw engineError("own_create", { subject: { kind, id } });
  }

  /** After a delete: nobody has it any more. */
  forget(kind: string, id: string): void {
    this.created.delete(`${kind} ${id}`);
    this.adopted.delete(`${kind} ${id}`);
    this.held.delete(`${kind} ${id}`);
  }
}
