/** One operation of a host on one kind of object: what every step of it needs, said once. */
import type { CallOptions, Core } from "../client/api";
import type { Contract, ResolvedResource } from "../contract";
import type { Kind } from "../resources";
import type { Machine, Served } from "./machine";
import type { Ours } from "./reconcile";
import type { Context } from "./types";

export class Operation<K extends Kind = Kind> {
  constructor(
    readonly machine: Machine,
    readonly kind: K,
    readonly context: Context,
    /** Sentences for the person, in the order in which things were seen. */
    readonly warnings: string[] = [],
  ) {}

  get core(): Core {
    return this.machine.core;
  }
  get contract(): Contract {
    return this.machine.core.contract;
  }
  /** What goes with every call. */
  get calls(): CallOptions {
    const { signal, stop, onNotice } = this.context;
    return { ...(signal && { signal }), ...(stop && { stop }), ...(onNotice && { onNotice }) };
  }
  /** What goes with a read that may be answered from a shared walk. */
  get sharedWalk() {
    return { ...this.calls, maxAgeMs: this.machine.options.readMaxAgeMs };
  }
  get ours(): Ours {
    return { contract: this.contract, account: this.core.account, kind: this.kind };
  }
  /** The contract resource behind the kind; kinds without one never come here. */
  get resource(): ResolvedResource {
    const { kind } = this;
    if (kind.resource === undefined) throw new Error(`${kind.name} is no resource of the service`);
    return this.contract.resources[kind.resource];
  }
  /** A part of this operation that is about another kind. */
  on<L extends Kind>(kind: L, context: Partial<Context> = {}): Operation<L> {
    return new Operation(this.machine, kind, { ...this.context, ...context }, this.warnings);
  }
}

/** Whether the service keeps objects of this kind. */
export const isServed = (op: Operation): op is Operation<Served> => op.kind.resource !== undefined;
