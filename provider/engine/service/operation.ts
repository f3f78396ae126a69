/** One operation of a host on one kind of object: what every step of it needs, said once. */
import { type CallOptions, type Clock, type Core, pause, type SnapshotOptions } from "../../client";
import type { Contract, ResolvedResource, ResourceName } from "../../contract";
import {
  message,
  type About,
  type Message,
  type MessageCode,
  type PartsOf,
  type Subject,
} from "../../messages";
import type { Kind } from "../../resources";
import { engineError, EngineError } from "../errors";
import { subjectOf } from "../values/state";
import type { Journal } from "../journal/journal";
import type { PlanNote } from "../journal/plan-note";
import type { Declared, Ledger, Ref } from "../ledger";
import type { KeyRights } from "../plan/seen";
import type { EngineOptions, OperationOptions, Scope, StateAccount } from "../types";
import type { AccountGuard } from "./account-guard";
import { AwaitedList, type Creates } from "./awaited";
import type { MassGuard } from "./mass";
import type { ServiceTime } from "../values/time";

/** A kind that the service keeps objects of. */
export type Served = Kind & { resource: ResourceName };

/** What all operations of a process share. */
export interface Run {
  readonly core: Core;
  readonly clock: Clock;
  readonly options: EngineOptions;
  readonly journal: Journal;
  readonly ledger: Ledger;
  /** What the process that plans leaves for the one that applies; undefined where they are one. */
  readonly planNote: PlanNote | undefined;
  readonly account: AccountGuard;
  readonly time: ServiceTime;
  readonly mass: MassGuard;
  /** What this process creates and waits for, by kind. */
  readonly awaited: Map<string, AwaitedList>;
  /** Its creates that are under way, by kind. */
  readonly creates: Map<string, Creates>;
  /** Creates with the same first key, one after the other. */
  readonly turns: Map<string, Promise<unknown>>;
  /** Backups that actions of this process took, by what for. */
  readonly backups: Map<string, number>;
  /** What was said and is not said again. */
  readonly said: Set<string>;
  /** Random, unguessable. */
  readonly uuid: () => string;
  readonly random: (bytes: number) => Buffer;
  /** The key in use, to seal entries under; follows a self-rotation. */
  apiKey: string;
  /** What the service said of it; undefined until then, and where nobody asks. */
  key?: KeyRights;
}

export class Operation<K extends Kind = Kind> implements Scope {
  constructor(
    readonly run: Run,
    readonly kind: K,
    readonly options: OperationOptions = {},
    /** What the person should know, in the order in which it was seen. */
    readonly warnings: Message[] = [],
  ) {}

  get core(): Core {
    return this.run.core;
  }
  get contract(): Contract {
    return this.run.core.contract;
  }
  get account(): StateAccount {
    return this.run.account.ours;
  }
  get former(): string | undefined {
    return this.run.account.places.formerBaseUrl;
  }
  get isAccountsPlace(): boolean {
    return this.run.account.places.isAccountsPlace === true;
  }
  get allowDelete(): readonly string[] {
    return this.run.options.allowDelete;
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
    const { awaited, clock } = this.run;
    const list = awaited.get(this.kind.name) ?? new AwaitedList(clock);
    awaited.set(this.kind.name, list);
    return list;
  }
  get creates(): Creates {
    const { creates } = this.run;
    const none = { underWay: 0, answeredAt: Number.NEGATIVE_INFINITY, tookMs: 0 };
    const own = creates.get(this.kind.name) ?? none;
    creates.set(this.kind.name, own);
    return own;
  }
  get calls(): CallOptions {
    const { signal, stop, onNotice } = this.options;
    return { ...(signal && { signal }), ...(stop && { stop }), ...(onNotice && { onNotice }) };
  }
  get sharedWalk(): SnapshotOptions {
    return { ...this.calls, maxAgeMs: this.run.options.readMaxAgeMs };
  }
  /** The contract resource behind the kind; kinds without one never come here. */
  get resource(): ResolvedResource {
    const { kind } = this;
    if (kind.resource === undefined) throw new Error(`${kind.name} is not a resource`);
    return this.contract.resources[kind.resource];
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

  /** A create of its kind, for which looks at what is awaited wait. */
  async creating<T>(create: () => Promise<T>): Promise<T> {
    const { creates } = this;
    const { clock } = this.run;
    const begunAt = clock.monotonicMs();
    creates.underWay += 1;
    try {
      return await create();
    } finally {
      creates.underWay -= 1;
      creates.answeredAt = clock.monotonicMs();
      creates.tookMs = creates.answeredAt - begunAt;
    }
  }

  /** Sleeps; rejects when the operation is aborted. */
  pause(ms: number, signal = this.options.signal): Promise<void> {
    return pause(this.run.clock, ms, signal);
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

  /** Whether the host's state holds this object, by what this process or the plan of this run saw. */
  async isInState(id: string): Promise<boolean> {
    if (this.run.ledger.inState(this.at(id))) return true;
    return (await this.planned())?.has(`${this.kind.name} ${id}`) ?? false;
  }

  /** Whether it is known at all what the state holds. */
  async isInformed(): Promise<boolean> {
    return this.run.planNote === undefined || (await this.planned()) !== undefined;
  }

  /** What the plan of this run saw. Only what changes something needs it: for a plan it is a warning. */
  private async planned(): Promise<ReadonlySet<string> | undefined> {
    const { planNote, ledger, journal } = this.run;
    try {
      return await planNote?.read();
    } catch (error) {
      if (ledger.hasChanged || !(error instanceof EngineError)) throw error;
      journal.report(error.reason);
      return undefined;
    }
  }
}

export const isServed = (op: Operation): op is Operation<Served> => op.kind.resource !== undefined;

/** What the service does not do, with the remedy: by its profile, or by its own answer, which comes first. */
export function notOffered(
  kind: Kind,
  operation: "create" | "update",
  answer?: Message,
): EngineError {
  const rotation = kind.reading.rotates === "own-key";
  return engineError("not_offered", { kind: kind.name, operation, rotation, answer });
}

export function isFirst(said: Set<string>, what: string): boolean {
  return said.size < said.add(what).size;
}
