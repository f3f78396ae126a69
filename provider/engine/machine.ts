/** What all operations of the engine share: created once per process. */
import type { Clock, Core } from "../client";
import type { AccountGuard } from "./plan/account";
import type { IdGuard } from "./ids";
import type { MassGuard } from "./service/mass";
import type { NamesGuard } from "./planned-names";
import type { Rights } from "./plan/rights";
import type { RotatorGuard } from "./rotators";
import type { ServiceTime } from "./service/time";
import type { Intent } from "./journal/entry";
import type { Intents } from "./journal/journal";
import type { AwaitedList } from "./service/awaited";
import type { ScopeGuard } from "./evidence/scope-guard";
import type { EngineOptions, State } from "./types";

/** What this process knows of one declaration of the host's program. */
export interface Declaration {
  /** Whether the host has a state for it. */
  hasState?: boolean;
  /** The id in that state. */
  liveId?: string;
  /** What the host keeps in that state. */
  kept?: Pick<State, "id" | "private"> & { readonly kind: string };
  /** Interrupted creates that were answered; the host holds the one that it will delete. */
  suspects?: Intent[];
  /** Backups that actions of this process took for it. */
  backupCount?: number;
}

export interface Machine {
  readonly core: Core;
  readonly clock: Clock;
  readonly options: EngineOptions;
  readonly intents: Intents;
  readonly account: AccountGuard;
  readonly ids: IdGuard;
  readonly scope: ScopeGuard;
  readonly time: ServiceTime;
  readonly mass: MassGuard;
  readonly rotators: RotatorGuard;
  readonly names: NamesGuard;
  readonly rights: Rights;
  /** What this process creates and waits for, by kind. */
  readonly awaited: Map<string, AwaitedList>;
  /** What this process knows of the declarations of the program, by their identity. */
  readonly declarations: Map<string, Declaration>;
  /** Random, unguessable. */
  uuid(): string;
  nonce(): Buffer;
  /** The key in use, to seal intents under; follows a self-rotation. */
  apiKey: string;
}
