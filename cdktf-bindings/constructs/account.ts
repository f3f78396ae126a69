/** Which account a construct belongs to: that of a provider block. */
import { TerraformStack, type TerraformProvider } from "cdktf";
import type { IConstruct } from "constructs";

/** Constructs whose account is decided; undefined: that of the provider without an alias. */
const providers = new WeakMap<IConstruct, TerraformProvider | undefined>();

/**
 * Puts a construct, and what will be declared below it, into the account of `own`; by default into
 * that of the nearest construct above it. A child never lands in another account by accident.
 */
export function joinAccount(
  construct: IConstruct,
  own: TerraformProvider | undefined,
): TerraformProvider | undefined {
  const { scopes } = construct.node;
  // A stack has provider blocks of its own: none of another stack can be named in it.
  const stack = scopes.findLastIndex((each) => TerraformStack.isStack(each));
  const above = scopes.slice(stack, -1).reverse();
  const parent = above.find((each) => providers.has(each));
  const provider = own ?? (parent && providers.get(parent));
  providers.set(construct, provider);
  return provider;
}

/** The outermost construct with this provider, which brought all below it into the account. */
export const comesFrom = (construct: IConstruct, provider: TerraformProvider): IConstruct =>
  construct.node.scopes.find((each) => providers.get(each) === provider) ?? construct;
