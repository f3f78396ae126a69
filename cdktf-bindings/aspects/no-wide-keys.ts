/** Keys that may do more than what uses them needs. */
import { Tokenization, type TerraformResource } from "cdktf";
import { expandScopes, type Values } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";
import type { Kind } from "../../provider/resources";
import { addressOf } from "../checks/program";
import { ErphostProvider as ProviderBlock } from "../generated/provider";
import { scopesFor } from "../keys/scopes";
import { nameOfDeployed, usesOf, type Use } from "../keys/uses";
import { Policy, type PolicyOptions } from "./policy";

/**
 * Refuses keys below that may do more than what uses them needs, and says which scopes are too many
 * and what would do. What uses a key is what its `usedBy` says, and the stack of a provider block
 * that has it as its `apiKey`. Keys without a known use, or with permissions that only Terraform
 * knows, are left alone.
 * @example
 * const key = new ApiKey(stack, "pipeline", { permissions: ["servers:*"] });
 * key.usedBy(stack, { for: "plan" });
 * Aspects.of(stack).add(new NoWideKeys({ report: "warning" }));
 */
export class NoWideKeys extends Policy {
  constructor(options: PolicyOptions = {}) {
    super("permissions", options);
  }

  protected broken(
    { permissions }: Values,
    key: TerraformResource,
    kind: Kind,
  ): readonly Message[] {
    const uses = [...usesOf(key), ...providersWith(key)];
    if (uses.length === 0 || !Array.isArray(permissions)) return [];
    const known = permissions.filter((each) => typeof each === "string");
    const needed: ReadonlySet<string> = new Set(
      uses.flatMap((use) => scopesFor(use.deployed, use)),
    );
    const extra = [...expandScopes(known)].filter((scope) => !needed.has(scope));
    if (extra.length === 0) return [];
    const users = [...new Set(uses.map(({ deployed }) => nameOfDeployed(deployed)))];
    const about = { path: ["permissions"], subject: { kind: kind.name } };
    return [message("wide_key", { users, extra, needed: [...needed].toSorted() }, about)];
  }
}

/** Provider blocks of the app whose key is this one. */
function providersWith(key: TerraformResource): Use[] {
  const secret = `${addressOf(key)}.value`;
  return key.node.root.node
    .findAll()
    .filter((each) => each instanceof ProviderBlock)
    .filter(({ apiKeyInput }) =>
      Tokenization.reverseString(apiKeyInput ?? "").tokens.some(
        (token) =>
          Reflect.get(token, "identifier") === secret &&
          Reflect.get(token, "originStack") === key.cdktfStack,
      ),
    )
    .map((provider) => ({ deployed: provider.cdktfStack, provider }));
}
