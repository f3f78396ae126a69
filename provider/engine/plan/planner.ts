/** Planning before the account is known: a run whose key is itself a result of the run. */
import type { Contract, Values } from "../../contract";
import type { Kind } from "../../resources";
import type {
  Checked,
  Diff,
  Foreseen,
  OperationOptions,
  PlannedDelete,
  Replacement,
  Scope,
  State,
} from "../types";
import type { Planned } from "./rights";
import { check } from "./check";
import { diff } from "./diff";
import { plannedDelete, plannedUpdate } from "./planned";

/** What hosts ask while they plan. */
export interface Planning {
  readonly contract: Contract;
  check(kind: Kind, inputs: Values, identity?: string, hasState?: boolean): Checked;
  diff(kind: Kind, prior: State, inputs: Values, identity?: string): Promise<Diff>;
  plannedUpdate(kind: Kind, prior: State, inputs: Values, planned: Diff): Values;
  plannedDelete(kind: Kind, prior: State, replacement?: Replacement): PlannedDelete;
  /** What is to be said of the name of an object that is planned. The only one that makes calls. */
  plannedNames(kind: Kind, inputs: Values, options?: OperationOptions): Promise<Foreseen>;
  /** What the key may not do, as far as the service has said it; each scope once. */
  plannedRights(kind: Kind, planned: Planned): Foreseen;
}

/** Plans without an engine. Every state counts as one of the account: nothing is done with it yet. */
export class Planner implements Planning {
  constructor(
    readonly contract: Contract,
    private readonly allowDelete: readonly string[],
  ) {}

  check(kind: Kind, inputs: Values): Checked {
    return check(this.contract, kind, inputs);
  }

  async diff(kind: Kind, prior: State, inputs: Values): Promise<Diff> {
    return diff(this.scope(kind, prior), prior, inputs);
  }

  plannedUpdate(kind: Kind, prior: State, inputs: Values, planned: Diff): Values {
    return plannedUpdate(kind, prior, inputs, planned);
  }

  plannedDelete(kind: Kind, prior: State, replacement?: Replacement): PlannedDelete {
    return plannedDelete(this.scope(kind, prior), prior, replacement);
  }

  async plannedNames(): Promise<Foreseen> {
    return { refused: undefined, notes: [] };
  }

  plannedRights(): Foreseen {
    return { refused: undefined, notes: [] };
  }

  private scope(kind: Kind, { private: { account } }: State): Scope {
    return { contract: this.contract, account, kind, allowDelete: this.allowDelete };
  }
}
