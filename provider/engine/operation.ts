/** One operation of a host on one kind of object: what every step of it needs, said once. */
import { type CallOptions, type Core, pause, type SnapshotOptions } from "../client";
import type { Contract, ResolvedResource, ResourceName } from "../contract";
import type { Kind } from "../resources";
import {
  message,
  type About,
  type Message,
  type MessageCode,
  type PartsOf,
  type Subject,
} from "../messages";
import type { EngineError } from "./errors";
import { engineError } from "./errors";
import { AwaitedList } from "./service/awaited";
import type { Declaration, Machine } from "./machine";
import type { OperationOptions, Scope, State, StateAccount } from "./types";

/** A kind that the service keeps objects of. */
export type Served = Kind & { resource: ResourceName };

export class Operation<K extends Kind = Kind> implements Scope {
  constructor(
    readonly machine: Machine,
    readonly kind: K,
    readonly options: OperationOptions = {},
    /** What the person should know, in the order in which it was seen. */
    readonly warnings: Message[] = [],
  ) {}

  get core(): Core {
    return this.machine.core;
  }
  get contract(): Contract {
    return this.machine.core.contract;
  }
  get account(): StateAccount {
    return this.machine.account.ours;
  }
  get former(): string | undefined {
    return this.machine.account.former;
  }
  get isAccountsPlace(): boolean {
    return this.machine.account.isAccountsPlace;
  }
  get allowDelete(): readonly string[] {
    return this.machine.options.allowDelete;
  }
  /** What is known of its declaration; not remembered where the host gives no identity. */
  get declaration(): Declaration {
    const { identity } = this.options;
    const { declarations } = this.machine;
    const declaration = (identity !== undefined && declarations.get(identity)) || {};
    if (identity !== undefined) declarations.set(identity, declaration);
    return declaration;
  }
  /**
   * Whether the host has shown the object that the declaration has. Hosts that have to replace it
   * may ask for its successor as for any new object.
   */
  get isShown(): boolean {
    return this.declaration.liveId !== undefined || this.options.replaces !== undefined;
  }
  /** The objects of its kind that this process creates and waits for. */
  get awaited(): AwaitedList {
    const { awaited, clock } = this.machine;
    const list = awaited.get(this.kind.name) ?? new AwaitedList(clock);
    awaited.set(this.kind.name, list);
    return list;
  }
  /** What goes with every call. */
  get calls(): CallOptions {
    const { signal, stop, onNotice } = this.options;
    return { ...(signal && { signal }), ...(stop && { stop }), ...(onNotice && { onNotice }) };
  }
  /** What goes with a read that may be answered from a shared walk. */
  get sharedWalk(): SnapshotOptions {
    return { ...this.calls, maxAgeMs: this.machine.options.readMaxAgeMs };
  }
  /** The contract resource behind the kind; kinds without one never come here. */
  get resource(): ResolvedResource {
    const { kind } = this;
    if (kind.resource === undefined) throw new Error(`${kind.name} is not a resource`);
    return this.contract.resources[kind.resource];
  }

  /** An object of this kind, for messages. */
  subject(id: string, name?: unknown): Subject {
    return { kind: this.kind.name, id, ...(typeof name === "string" && { name }) };
  }

  warn<C extends MessageCode>(code: C, parts: PartsOf<C>, about?: About): void {
    this.warnings.push(message(code, parts, about));
  }

  progress<C extends MessageCode>(code: C, parts: PartsOf<C>): void {
    this.options.onNotice?.({ kind: "progress", data: message(code, parts) });
  }

  /** Sleeps; rejects when the operation is aborted. */
  pause(ms: number, signal = this.options.signal): Promise<void> {
    return pause(this.machine.clock, ms, signal);
  }

  /** A part of this operation that is about another kind. */
  on<L extends Kind>(kind: L, options: Partial<OperationOptions> = {}): Operation<L> {
    return new Operation(this.machine, kind, { ...this.options, ...options }, this.warnings);
  }

  /**
   * A state of the host holds this object: intents that led to it have done their work. It is the
   * one that the declaration has now, unless it is about to be deleted.
   */
  async hold({ id, values }: HeldState, isLive = true): Promise<void> {
    const { ids, intents, mass } = this.machine;
    if (isLive) this.declaration.liveId = id;
    ids.hold(this.kind.name, id);
    mass.know(this.kind.name, id);
    await intents.dropLeftovers(this.kind.name, id);
    const key = values?.["current_key_id"];
    if (typeof key !== "string") return;
    ids.hold(this.kind.name, key);
    await intents.dropLeftovers(this.kind.name, key);
  }
}

/** Of a state, what shows that the host holds an object. */
type HeldState = Pick<State, "id"> & Partial<Pick<State, "values">>;

/** The id that lists show now: a rotated key is patched, rotated and deleted under this one. */
export const currentId = ({ id, values }: State): string => {
  const current = values["current_key_id"];
  return typeof current === "string" ? current : id;
};

/** Whether the service keeps objects of this kind. */
export const isServed = (op: Operation): op is Operation<Served> => op.kind.resource !== undefined;

/** Refuses what the service does not do, with the remedy. */
export function assertOffered(
  op: Operation,
  operation: "create" | "update",
): asserts op is Operation<Served> {
  if (op.resource.operations[operation] === undefined) throw notOffered(op.kind, operation);
}

/** The service does not do it: by its profile, or by its own answer, which comes first then. */
export function notOffered(
  kind: Kind,
  operation: "create" | "update",
  answer?: Message,
): EngineError {
  const rotation = kind.reading.rotates === "own-key";
  return engineError("not_offered", { kind: kind.name, operation, rotation, answer });
}
