/** What faces pass to the engine and get back. Plain data; names are the contract's (snake_case). */
import type { Account, Notice } from "../client";
import type { Contract, Values } from "../contract";
import type { Message, Path } from "../messages";
import type { Kind } from "../resources";

export type { Path };

/** Whose object a state holds. */
export interface StateAccount extends Account {
  /** What the service calls the account, where it says anything. */
  readonly id?: string;
  /** A run on a twin of the account at this address wrote it. */
  readonly twinOf?: string;
}

/** What values are read and compared under. */
export interface Scope {
  readonly contract: Contract;
  readonly account: StateAccount;
  /** States of this address move to that of the account; default none. */
  readonly former?: string | undefined;
  /** On a twin: runs for its account have worked in this very place. Default false. */
  readonly isAccountsPlace?: boolean | undefined;
  readonly kind: Kind;
  /** Ids that are deleted in spite of their protection; default none. */
  readonly allowDelete?: readonly string[];
}

/** What the engine knows of an object and no program needs to see. Small, never secret. */
export interface Private {
  readonly account: StateAccount;
  /** Hash of the contract profile that it was last written or read with. */
  readonly profile: string;
  /** Inputs of the program's last run: these alone are compared. */
  readonly managed: readonly string[];
  /**
   * Where the service answered another value than it was sent: hashes of both. While its answer
   * stays the same, the configured value counts as unchanged.
   */
  readonly echo: Readonly<Record<string, readonly [sent: string, got: string]>>;
  /** A create or an update of this state left the object in a failed state that it is still in. */
  readonly failed?: boolean;
  /** A key was rotated elsewhere: the secret of the one in use is not in this state. */
  readonly lost?: boolean;
  /** It was adopted, or taken over from a run that was cut off: a mark, never the same twice. */
  readonly resumed?: string;
  /** How often a guarded field was seen to change, where a scope is set. */
  readonly generation?: number;
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
  readonly replace: boolean;
  /** Why this can't be done: protection, or another account. */
  readonly refused: Message | undefined;
  /** The state is rewritten to say whose it is: after a move, or on a twin. Nothing is sent for it. */
  readonly rewrites: boolean;
  /** Not changes, and worth knowing: `properties` keys that are left alone, a changed profile. */
  readonly notes: readonly Message[];
  /** Outputs that are unknown until the change is done. */
  readonly unknown: readonly string[];
}

/** What a plan finds in the way of an action. */
export interface Findings {
  /** Each would refuse it; the first that was not said before in this run does. */
  readonly refusals: readonly Message[];
  readonly notes: readonly Message[];
  /** What it is about, where each code is said of that once in a run. */
  readonly about?: string;
  /** Of a create: objects of its name that the host has shown, for hosts that apply elsewhere. */
  readonly namesakes?: readonly string[];
}

export interface Advice {
  readonly refused: Message | undefined;
  readonly notes: readonly Message[];
  readonly namesakes?: readonly string[];
}

/** Which declaration a create is for, the same before and after a crash; undefined where the host does not say. */
export type Identity = string | undefined;

export interface OperationOptions {
  readonly identity?: Identity;
  /** The engine chose that identity itself, for an object that no state will hold. */
  readonly derived?: true;
  /** The host may plan a declaration repeatedly, and does not say which one it plans. */
  readonly replans?: boolean;
  /** Its key is never derived, whatever the scope: each time is another object. */
  readonly unscoped?: boolean;
  /** The object that a create is the successor of, as far as the host shows it. */
  readonly replaces?: Pick<State, "id"> & Partial<Pick<State, "values">>;
  /** What its plan answered as `namesakes`. */
  readonly namesakes?: readonly string[];
  /** Tells creates of one identity apart that are not about the same object. */
  readonly occasion?: unknown;
  /** Milliseconds for the whole operation, waits included, time at the quota gate not. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /**
   * Ends waits for readiness early, as their timeout would. Requests that may have done something
   * are completed; others fail at once.
   */
  readonly stop?: AbortSignal;
  /** Progress and waits, reported while they last. */
  readonly onNotice?: (notice: Notice | Progress) => void;
}

export interface Progress {
  readonly kind: "progress";
  readonly data: Message;
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

export interface ReadResult {
  /** Undefined: it is proved to be gone. */
  readonly state: State | undefined;
  readonly warnings: readonly Message[];
}

export interface EngineOptions {
  /** Names the state that a run writes: keys of creates are derived from it. Default none. */
  readonly scope?: string | undefined;
  /** The last run was cut off: what it created is taken over. Default false. */
  readonly resume: boolean;
  /** Another object of the same name: warned of, refused or ignored. Default warn. */
  readonly sameName: "warn" | "error" | "allow";
  /** Accepts that many objects are gone at once. Default false. */
  readonly allowMassGone: boolean;
  /** Ids of objects that may be deleted although their state protects them. Default none. */
  readonly allowDelete: readonly string[];
  /** An action that the key may not do: refused, warned of, or not looked for. Default warn. */
  readonly preflight: "error" | "warn" | "off";
  /** Milliseconds that a walk may be old for a read; default 10 minutes: a run reads its lists once. */
  readonly readMaxAgeMs: number;
  /** Milliseconds an operation may take when the host says nothing; default 20 minutes. */
  readonly timeoutMs: number;
}
