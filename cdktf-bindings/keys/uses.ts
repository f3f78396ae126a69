import type { TerraformProvider, TerraformResource } from "cdktf";
import type { IConstruct } from "constructs";
import type { Scope } from "../../provider/contract";
import type { ErphostStage } from "../stages/stage";

export type { Scope };

/** What a pipeline plans and applies: a stack, a stage with all of its stacks, or a part of a stack. */
export type Deployed = IConstruct | ErphostStage;

/** What a key is for. */
export interface DeployKeyOptions {
  /** `plan`: only reads what is declared and looked up. Default: `apply`, which may do all the rest. */
  readonly for?: "plan" | "apply";
  /**
   * Provider block of what is deployed, of the account that the key belongs to; required where several
   * accounts are in use. In a stage it stands for the same address and key in each stack.
   */
  readonly provider?: TerraformProvider;
  /** Further scopes, such as those for objects that have left the program but not yet the state. */
  readonly also?: readonly Scope[];
}

/** One use of a key. */
export interface Use extends DeployKeyOptions {
  readonly deployed: Deployed;
}

const uses = new WeakMap<TerraformResource, Use[]>();

/** What a program has said that a key is used for. */
export const usesOf = (key: TerraformResource): readonly Use[] => uses.get(key) ?? [];

export function recordUse(key: TerraformResource, use: Use): void {
  uses.set(key, [...usesOf(key), use]);
}

/** The name by which a program knows what is deployed. */
export const nameOfDeployed = (deployed: Deployed): string =>
  "node" in deployed ? deployed.node.path : deployed.name;
