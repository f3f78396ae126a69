/** What the engine's faces give and get. Plain data; names are the contract's (snake_case). */
import type { Account, Notice } from "../client/api";
import type { Contract, InputIssue, Values } from "../contract";
import type { Message } from "../messages";
import type { Kind } from "../resources";

export type Path = readonly (string | number)[];

/** What values are read and compared under. */
export interface Scope {
  readonly contract: Contract;
  readonly account: Account;
  readonly kind: Kind;
}

/** What the engine knows of an object and no program needs to see. Small, never secret. */
export interface Private {
  readonly account: Account;
  /** Hash of the contract profile that it was last written or read with. */
  readonly profile: string;
  /** Inputs that the program gave last: these alone are compared. */
  readonly managed: readonly string[];
  /**
   * Where the service answered a value otherwise than it was sent: hashes of both. While the
   * service still answers the same, the configured value counts as unchanged.
   */
  readonly echo: Readonly<Record<string, readonly [sent: string, got: string]>>;
  /** A key was rotated elsewhere: the secret of the one in use is not in this state. */
  readonly lost?: boolean;
}

/** One object as a host keeps it. Values are inputs and outputs together. */
export interface State {
  readonly id: string;
  readonly values: Values;
  readonly private: Private;
}

export interface Change {
  /** Field, then keys or indices inside it. Indices count in the new value, in the old for deletes. */
  readonly path: Path;
  readonly kind: "add" | "update" | "delete";
  readonly replace: boolean;
  readonly secret: boolean;
  /** Why, where the field's name alone does not say it. */
  readonly reason?: Message;
}

export interface Diff {
  readonly changes: readonly Change[];
  /** The object is replaced. */
  readonly replace: boolean;
  /** Why this can't be done: protection, or another account. */
  readonly refused: Message | undefined;
  /** Not changes, and worth knowing: `properties` keys that are left alone, a changed profile. */
  readonly notes: readonly Message[];
  /** Outputs that are not known before the change is made. */
  readonly unknown: readonly string[];
}

/** What a check found. Inputs come back without members that were left out. */
export interface Checked {
  readonly inputs: Values;
  readonly issues: readonly InputIssue[];
}

/** Who a create is for, the same before and after a crash; undefined where the host can't say. */
export type Identity = string | undefined;

/** What a host says about one operation. */
export interface OperationOptions {
  readonly identity?: Identity;
  /** The engine made that identity itself, for what no state will hold. */
  readonly derived?: true;
  /** Milliseconds for the whole operation, waits included, time at the quota gate not. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /**
   * Ends waits for readiness early, as their timeout would. Requests that may have done something
   * go on to their end; others fail at once.
   */
  readonly stop?: AbortSignal;
  /** Progress and waits, reported while they last. */
  readonly onNotice?: (notice: Notice | Progress) => void;
}

/** Reported while an object is waited for. */
export interface Progress {
  readonly kind: "progress";
  readonly message: Message;
}

export interface Result {
  readonly state: State;
  readonly warnings: readonly Message[];
}

export interface Deleted {
  /** The service can't delete it: it left the state and remains in the service, unmanaged. */
  readonly retained: boolean;
  readonly warnings: readonly Message[];
}

/** What a delete will lead to. */
export interface PlannedDelete {
  readonly refused: Message | undefined;
  /** The service can't delete it: it will leave the state and remain in the service, unmanaged. */
  readonly notes: readonly Message[];
}

export interface ReadResult {
  /** Undefined: it is proved to be gone. */
  readonly state: State | undefined;
  readonly warnings: readonly Message[];
}

/** What the provider's configuration says to the engine. */
export interface EngineOptions {
  /** Another object of the same name: warned of, refused or ignored. Default warn. */
  readonly sameName: "warn" | "error" | "allow";
  /** Accepts that many objects are gone at once. Default false. */
  readonly allowMassGone: boolean;
  /** Milliseconds that a walk may be old for a read; default 10 minutes: a run reads its lists once. */
  readonly readMaxAgeMs: number;
  /** Milliseconds an operation may take when the host says nothing; default 20 minutes. */
  readonly timeoutMs: number;
}
