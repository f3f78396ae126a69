/** What must never happen, checked in one place for every face. */
import type { Account } from "../client/api";
import type { Kind } from "../resources";
import { EngineError } from "./errors";
import type { State } from "./types";

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

const MASS_GONE_MIN = 10;
const MASS_GONE_SHARE = 0.2;

/**
 * Stops when so many objects are gone that a mistake is likelier: more than 10 in this process that
 * are also more than a fifth of what was asked for.
 */
export class MassGuard {
  private asked = 0;
  private gone = 0;

  constructor(private readonly allow: boolean) {}

  question(): void {
    this.asked += 1;
  }

  verdict(kind: Kind, id: string): void {
    this.gone += 1;
    if (this.allow || this.gone <= MASS_GONE_MIN || this.gone <= this.asked * MASS_GONE_SHARE)
      return;
    throw new EngineError(
      "mass_gone",
      `${kind.name} ${id} is the ${this.gone}th of ${this.asked} objects that the service no longer lists. ` +
        "So many at once look like a wrong account or a fault of the service, so nothing is forgotten. " +
        "If they really are gone, set allowMassGone (ERPHOST_ALLOW_MASS_GONE=true) for one run.",
    );
  }
}

/** Two invariants about ids: none answers two creates, and none that a create answered is deleted by its process. */
export class IdGuard {
  private readonly created = new Map<string, string>();
  private readonly known = new Set<string>();

  /** An id that a state of this process mentions. */
  mention(kind: string, id: string): void {
    this.known.add(`${kind} ${id}`);
  }

  isKnown(kind: string, id: string): boolean {
    return this.known.has(`${kind} ${id}`) || this.created.has(`${kind} ${id}`);
  }

  /** Registers what a create was answered; refuses an id that another create has already. */
  answered(kind: string, id: string, identity: string): void {
    const key = `${kind} ${id}`;
    const other = this.created.get(key);
    if (other !== undefined) {
      throw new EngineError(
        "answered_twice",
        `The service answered two creates (${other} and ${identity}) with the same ${kind} ${id}. Nothing more is done with it; report this to the service.`,
      );
    }
    this.created.set(key, identity);
  }

  /** Call before a delete. */
  mayDelete(kind: string, id: string): void {
    if (!this.created.has(`${kind} ${id}`)) return;
    throw new EngineError(
      "own_create",
      `${kind} ${id} was answered to a create of this very run, so deleting it for a replacement would destroy the new object. Nothing was deleted; run the engine again.`,
    );
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
}
