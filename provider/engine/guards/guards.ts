/** What must never happen, checked in one place for every face. */
import type { Account } from "../../client/api";
import type { Kind } from "../../resources";
import { EngineError } from "../errors";
import type { State } from "../types";

/** Why a state of another account must not be touched with this key; undefined where it is ours. */
export function accountRefusal(account: Account, kind: Kind, state: State): string | undefined {
  const { baseUrl, environment } = state.private.account;
  if (baseUrl === account.baseUrl && environment === account.environment) return undefined;
  const here = `${account.baseUrl} (${account.environment})`;
  return `${kind.name} ${state.id} belongs to ${baseUrl} (${environment}), and this run is configured for ${here}; a list of another account would show everything as gone. Configure the base address and key it was made with`;
}

export function assertAccount(account: Account, kind: Kind, state: State): void {
  const refusal = accountRefusal(account, kind, state);
  if (refusal !== undefined) throw new EngineError("wrong_account", `${refusal}.`);
}

/**
 * Two invariants about ids: none answers two creates, and none that a create of this process was
 * answered is deleted by it before the host shows that it holds it.
 */
export class IdGuard {
  /** Answered to a create, and by whom. */
  private readonly created = new Map<string, string>();
  /** Taken over by a declaration, and by which. */
  private readonly adopters = new Map<string, string>();
  /** Mentioned by a state of the host. */
  private readonly held = new Set<string>();

  /** An id that a state of this process mentions, in anything but a delete. */
  mention(kind: string, id: string): void {
    this.held.add(`${kind} ${id}`);
  }

  isKnown(kind: string, id: string): boolean {
    return this.held.has(`${kind} ${id}`) || this.created.has(`${kind} ${id}`);
  }

  /** Registers what a create was answered; refuses an id that something else has already. */
  answered(kind: string, id: string, identity: string): void {
    const key = `${kind} ${id}`;
    const other = this.created.get(key) ?? (this.held.has(key) ? "a state" : undefined);
    if (other !== undefined) {
      throw new EngineError(
        "answered_twice",
        `The service answered the create of ${identity} with ${kind} ${id}, which ${other} has already. Nothing more is done with it; report this to the service.`,
      );
    }
    this.created.set(key, identity);
  }

  /** Registers who took over an object; refuses a second one. */
  adopted(kind: string, id: string, by: string): void {
    const key = `${kind} ${id}`;
    const other = this.created.get(key) ?? this.adopters.get(key);
    if (other !== undefined && other !== by) {
      throw new EngineError(
        "answered_twice",
        `${kind} ${id} can't be adopted by ${by}: ${other} has it already. Declare an object once.`,
      );
    }
    this.adopters.set(key, by);
  }

  /** Call before a delete. */
  mayDelete(kind: string, id: string): void {
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

/** One rotator per key. */
export class RotatorGuard {
  private readonly rotators = new Map<string, string>();

  /** Claims a key for a rotator; refuses a second one. */
  claim(keyId: string, by: string): void {
    const other = this.rotators.get(keyId);
    if (other !== undefined && other !== by) {
      throw new EngineError(
        "two_rotators",
        `key_id ${keyId} already has a rotator (${other}); two would end each other's keys. Keep one of them.`,
        ["key_id"],
      );
    }
    this.rotators.set(keyId, by);
  }

  /** A key that its rotator just made is its own, whatever was said before. */
  follow(keyId: string, by: string): void {
    this.rotators.set(keyId, by);
  }
}
