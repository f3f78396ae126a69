/** Planning before the account is known: a run whose key is itself a result of the run. */
import type { Contract } from "../../contract";
import type { Kind } from "../../resources";
import type { Advice, Findings } from "../types";
import { asSeen, type Planning, type Seen, type Shown } from "./seen";

/** Sees nothing. Every state counts as one of the account: nothing is done with it yet. */
export class Planner implements Planning {
  constructor(
    readonly contract: Contract,
    private readonly allowDelete: readonly string[],
  ) {}

  async observe(kind: Kind, { prior, replaces }: Shown): Promise<Seen> {
    const { contract, allowDelete } = this;
    const account = (prior ?? replaces)?.private.account ?? { baseUrl: "", environment: "test" };
    return asSeen({
      ...{ contract, kind, account, allowDelete, preflight: "off" },
      ...{ key: undefined, rotated: undefined, adopted: undefined, named: undefined },
    });
  }

  tell({ refusals: [refused, ...others], notes }: Findings): Advice {
    return { refused, notes: [...notes, ...others] };
  }
}
