/** One operation of a host on one kind of object: what every step of it needs, said once. */
import type { CallOptions, Core } from "../client/api";
import type { Contract, ResolvedResource, ResourceName } from "../contract";
import type { Kind } from "../resources";
import { EngineError } from "./errors";
import type { Machine } from "./machine";
import type { Ours } from "./lifecycle/reconcile";
import { pause } from "./pause";
import type { Context } from "./types";

/** A kind that the service keeps objects of. */
export type Served = Kind & { resource: ResourceName };

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

/** Refuses what the service does not do, with the remedy. */
export function assertOffered(
  op: Operation,
  operation: "create" | "update",
): asserts op is Operation<Served> {
  if (op.resource.operations[operation] !== undefined) return;
  throw notOffered(op.kind, operation);
}

/** Of what the service does not do, as the profile says or as the service itself answered. */
export function notOffered(kind: Kind, operation: "create" | "update"): EngineError {
  const remedy =
    kind.reading.rotates === "own-key"
      ? "Create the key in the dashboard and declare an ApiKeyRotation with its id: rotation is offered."
      : `Leave it out, or name the operation in the contract profile (resources.${kind.name}.operations.${operation}).`;
  return new EngineError(
    "not_offered",
    `${kind.name}: the service offers no ${operation} for it. ${remedy}`,
  );
}

const BEHIND_MS = 250;

/** One pause in the wait for a process that a killed host has left behind; the first is told. */
export function behind({ machine, context }: Operation): () => Promise<void> {
  let told = false;
  return () => {
    if (!told) {
      const message = "Another run has this very object in hand; waiting until it is over.";
      context.onNotice?.({ kind: "progress", message });
    }
    told = true;
    return pause(machine.clock, BEHIND_MS, context.signal);
  };
}
