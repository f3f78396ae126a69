/** One operation of a host on one kind of object: what every step of it may need, side by side. */
import { type CallOptions, type Clock, type Core, pause, type SnapshotOptions } from "../../client";
import type { ResolvedResource, ResourceName, ServiceRecord } from "../../contract";
import { message } from "../../messages";
import type { About, Message, MessageCode, PartsOf, Subject } from "../../messages";
import type { Kind } from "../../resources";
import { subjectOf } from "../values/state";
import type { Journal } from "../journal/journal";
import type { Declared, Ledger, Ref } from "../ledger";
import type { KeyRights } from "../plan/seen";
import type { EngineOptions, OperationOptions, Scope, StateAccount } from "../types";
import type { AccountGuard } from "./account-guard";
import { AwaitedList } from "./awaited";
import type { MassGuard } from "./mass";
import type { HostStates } from "./states";
import type { AskedTime } from "../values/time";

/** A kind that the service keeps objects of. */
export type Served = Kind & { resource: ResourceName };

/** What all operations of a process share. */
export interface Run extends Omit<Scope, "kind" | "account"> {
  readonly core: Core;
  readonly clock: Clock;
  readonly settings: EngineOptions;
  readonly journal: Journal;
  readonly ledger: Ledger;
  readonly states: HostStates;
  readonly guard: AccountGuard;
  readonly time: AskedTime;
  readonly mass: MassGuard;
  /** What this process creates and waits for, by kind. */
  readonly lists: Map<string, AwaitedList>;
  /** Creates of each declaration, one after the other. */
  readonly turns: Map<string, readonly Promise<{ readonly record: ServiceRecord }>[]>;
  /** Backups that actions of this process took, by what for. */
  readonly backups: Map<string, number>;
  /** What was said and is not said again. */
  readonly said: Set<string>;
  /** Random, unguessable. */
  readonly uuid: () => string;
  readonly random: (bytes: number) => Buffer;
  readonly key: KeyInUse;
}

interface KeyInUse {
  /** Entries are sealed under it; follows a self-rotation. */
  secret: string;
  /** What the service said of it; undefined until then, and where nobody asks. */
  rights?: KeyRights;
}

class Call<K extends Kind> implements Pick<Scope, "kind" | "account"> {
  readonly calls: CallOptions;
  readonly sharedWalk: SnapshotOptions;

  constructor(
    private readonly run: Run,
    readonly kind: K,
    readonly options: OperationOptions = {},
    /** What the person should know, in the order in which it was seen. */
    readonly warnings: Message[] = [],
  ) {
    const { signal, stop, onNotice } = options;
    this.calls = {
      ...(signal && { signal }),
      ...(stop && { stop }),
      ...(onNotice && { onNotice }),
    };
    Object.assign(this, run);
    this.sharedWalk = { ...this.calls, maxAgeMs: run.settings.readMaxAgeMs };
  }

  /** Its id may be learned while an operation lasts. */
  get account(): StateAccount {
    return this.run.guard.ours;
  }
  /** What is known of its declaration; nothing where the host gives no identity. */
  get declared(): Declared {
    return this.run.ledger.declarations.get(this.options.identity) ?? {};
  }
  /** Hosts that have to replace an object may ask for its successor as for any new one. */
  get isShown(): boolean {
    return this.declared.live !== undefined || this.options.replaces !== undefined;
  }
  get awaited(): AwaitedList {
    const { lists, clock } = this.run;
    const list = lists.get(this.kind.name) ?? new AwaitedList(clock);
    lists.set(this.kind.name, list);
    return list;
  }
  /** The contract resource behind the kind; kinds without one never come here. */
  get resource(): ResolvedResource {
    const { kind, run } = this;
    if (kind.resource === undefined) throw new Error(`${kind.name} is not a resource`);
    return run.contract.resources[kind.resource];
  }

  subject(id: string, name?: unknown): Subject {
    return subjectOf(this.kind.name, id, name);
  }

  warn<C extends MessageCode>(code: C, parts: PartsOf<C>, about?: About): void {
    this.warnings.push(message(code, parts, about));
  }

  progress<C extends MessageCode>(code: C, parts: PartsOf<C>): void {
    this.options.onNotice?.({ kind: "progress", data: message(code, parts) });
  }

  /** Sleeps; rejects when the operation is aborted, the host stops, or something else ends it. */
  pause(ms: number, ...others: AbortSignal[]): Promise<void> {
    const { signal, stop } = this.options;
    const ends = [signal, stop, ...others].filter((end) => end !== undefined);
    return pause(this.run.clock, ms, AbortSignal.any(ends));
  }

  /** A part of this operation that is about another kind. */
  on<L extends Kind>(kind: L, options: Partial<OperationOptions> = {}): Operation<L> {
    return new Operation(this.run, kind, { ...this.options, ...options }, this.warnings);
  }

  at(id: string): Ref {
    return { kind: this.kind.name, id };
  }

  /**
   * The host shows that its state holds this object, and what led to it has done its work. It is the
   * one that the declaration has now, unless it is about to be deleted.
   */
  async seeState(
    { id, values }: NonNullable<OperationOptions["replaces"]>,
    live = true,
  ): Promise<void> {
    const { ledger, journal } = this.run;
    const { name: kind } = this.kind;
    ledger.note({ is: "inState", at: { kind, id }, identity: this.options.identity, live });
    await journal.dropLeftovers(kind, id);
    const key = values?.["current_key_id"];
    if (typeof key !== "string") return;
    ledger.note({ is: "alias", at: { kind, id: key } });
    await journal.dropLeftovers(kind, key);
  }
}

/** What its run has and what is its own: made by the engine, taken whole by verbs and lists. */
export type Operation<K extends Kind = Kind> = Run & Call<K>;

// Its constructor gives it all that its run has: with a name in both, none could be made.
export const Operation = Call as new <K extends Kind>(
  run: Run,
  kind: K,
  options?: OperationOptions,
  warnings?: Message[],
) => keyof Run & keyof Call<Kind> extends never ? Operation<K> : never;

/** What a function below the verbs takes of an operation. */
export type Parts<N extends keyof Operation> = Pick<Operation, N>;
/** What tells a person something. */
export type Voice = Parts<"kind" | "subject" | "warn" | "progress" | "warnings">;
/** What asks the service about objects of a kind, and waits for its lists. */
export type Caller<K extends Kind = Served> = Pick<
  Operation<K>,
  "core" | "contract" | "kind" | "resource" | "calls" | "sharedWalk" | "pause"
>;
/** What this run, and what planned it, know of an id. */
export type Memory = Parts<"ledger" | "states" | "at">;

export const isServed = <O extends Parts<"kind">>(op: O): op is O & { readonly kind: Served } =>
  op.kind.resource !== undefined;

export function isFirst(said: Set<string>, what: string): boolean {
  return said.size < said.add(what).size;
}
