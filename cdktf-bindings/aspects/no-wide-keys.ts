import type { TerraformResource, TerraformStack } from "cdktf";
import { expandScopes, type Values } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";
import { hasUnknown, type Kind } from "../../provider/resources";
import { stacksIn } from "../checks/app";
import { addressOf, readProgram } from "../checks/program";
import { attribute, attributesIn } from "../checks/references";
import { ErphostProvider as ProviderBlock } from "../generated/provider";
import { scopesFor } from "../keys/scopes";
import { nameOfDeployed, usesOf, type Use } from "../keys/uses";
import { once } from "../synthesis";
import { Policy, type PolicyOptions } from "./policy";

/**
 * Refuses keys below that may do more than what uses them needs, and says which scopes are too many
 * and what would do. What uses a key is what its `usedBy` says, and the stack of a provider block
 * that has it as its `apiKey`. Keys without a known use are left alone; permissions that only Terraform
 * knows are refused.
 * @example
 * const key = new ApiKey(stack, "pipeline", { permissions: ["servers:*"] });
 * key.usedBy(stack, { for: "plan" });
 * Aspects.of(stack).add(new NoWideKeys({ report: "warning" }));
 */
export class NoWideKeys extends Policy {
  constructor(options: PolicyOptions = {}) {
    super("permissions", options);
  }

  /** @internal */
  protected broken(
    { permissions }: Values,
    key: TerraformResource,
    kind: Kind,
  ): readonly Message[] {
    const uses = [...usesOf(key), ...providersWith(key)];
    if (uses.length === 0) return [];
    const known = Array.isArray(permissions)
      ? permissions.filter((each) => typeof each === "string")
      : [];
    const needed: ReadonlySet<string> = new Set(
      uses.flatMap((use) => scopesFor(use.deployed, use)),
    );
    const extra = [...expandScopes(known)].filter((scope) => !needed.has(scope));
    const users = [...new Set(uses.map(({ deployed }) => nameOfDeployed(deployed)))];
    const about = { path: ["permissions"], subject: { kind: kind.name } };
    const parts = { users, extra, needed: [...needed].toSorted() };
    return [
      ...(extra.length > 0 ? [message("wide_key", parts, about)] : []),
      ...(hasUnknown(permissions)
        ? [message("policy_unknown", { rule: "NoWideKeys" }, about)]
        : []),
    ];
  }
}

/** Provider blocks of the app whose key is this one. */
function providersWith(key: TerraformResource): Use[] {
  const secret = attribute(key.cdktfStack, `${addressOf(key)}.value`);
  // By stack, because Aspects of a later stack may add provider blocks.
  const providers = once(key.node.root, stacksIn).flatMap(
    (stack) => once(stack, providersByKey).get(secret) ?? [],
  );
  return providers.map((provider) => ({ deployed: provider.cdktfStack, provider }));
}

/** The provider blocks of a stack by the attributes that their keys refer to. */
function providersByKey(stack: TerraformStack): ReadonlyMap<string, readonly ProviderBlock[]> {
  const uses = once(stack, readProgram)
    .elements.filter((each) => each instanceof ProviderBlock)
    .flatMap((provider) =>
      [...new Set(attributesIn(provider.apiKeyInput))].map((key) => ({ key, provider })),
    );
  const byKey = Map.groupBy(uses, ({ key }) => key);
  return new Map([...byKey].map(([key, all]) => [key, all.map(({ provider }) => provider)]));
}
