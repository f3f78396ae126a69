/** Rules about keys: how old a secret may be, and what a key may do. */
import type { TerraformResource, TerraformStack } from "cdktf";
import { expandScopes, isAdmin, isWildcard, period, periodMs } from "../../provider/contract";
import type { Values } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";
import { hasUnknown, UNKNOWN, type Kind } from "../../provider/resources";
import { stacksIn } from "../checks/app";
import { addressOf, readProgram } from "../checks/program";
import { attribute, attributesIn } from "../checks/references";
import { ErphostProvider as ProviderBlock } from "../generated/provider";
import { scopesFor } from "../keys/scopes";
import { nameOfDeployed, usesOf, type Use } from "../keys/uses";
import { once } from "../synthesis";
import { sentenceOf } from "../voice";
import { Policy, type PolicyOptions } from "./policy";

/**
 * Demands that every key below is rotated in time: by `rotateAfter`, or by the service, where the key
 * says so. An age that only Terraform knows is refused as well.
 * @example
 * new ApiKey(stack, "pipeline", { permissions: ["servers:read"], rotateAfter: "30d" });
 * Aspects.of(app).add(new MaxKeyAge("90d"));
 */
export class MaxKeyAge extends Policy {
  /**
   * @param max oldest secret, in days: `90d`
   * @throws Error if that is not a number of days
   */
  constructor(
    private readonly max: string,
    options: PolicyOptions = {},
  ) {
    super("rotate_after", options);
    const issue = period.safeParse(max).error?.issues[0];
    if (issue)
      throw new Error(`MaxKeyAge: ${sentenceOf(message("stated", { text: issue.message }))}`);
  }

  /** @internal */
  protected broken(inputs: Values, _: TerraformResource, kind: Kind): readonly Message[] {
    const { max } = this;
    const isService = SWITCHES.some((name) => inputs[name] === true);
    const field = isService ? "rotation_period" : "rotate_after";
    const about = { subject: { kind: kind.name }, path: [field] };
    const given = inputs[field];
    if (given === UNKNOWN) return [message("policy_unknown", { rule: "MaxKeyAge" }, about)];
    if (typeof given !== "string") return [message("key_age", { max, given: undefined }, about)];
    // The key's own validation reports another form.
    if (!period.safeParse(given).success || periodMs(given) <= periodMs(max)) return [];
    return [message("key_age", { max, given }, about)];
  }
}

/** Inputs by which a key leaves its rotation to the service. */
const SWITCHES = ["auto_rotate", "rotation_enabled"];

/**
 * Refuses keys below with the level `admin` or a wildcard such as `servers:*`, as `erphost/policies`
 * does in plans. Permissions that only Terraform knows are refused as well.
 * @example
 * new ApiKey(stack, "pipeline", { permissions: ["servers:read", "servers:write"] });
 * Aspects.of(app).add(new NoAdminKeys());
 */
export class NoAdminKeys extends Policy {
  constructor(options: PolicyOptions = {}) {
    super("permissions", options);
  }

  /** @internal */
  protected broken({ permissions }: Values, _: TerraformResource, kind: Kind): readonly Message[] {
    const wide = knownOf(permissions).filter((each) => isAdmin(each) || isWildcard(each));
    return [
      ...(wide.length > 0 ? [message("key_wide", { wide }, ofPermissions(kind))] : []),
      ...unknownIn(permissions, "NoAdminKeys", kind),
    ];
  }
}

const ofPermissions = ({ name: kind }: Kind) => ({ subject: { kind }, path: ["permissions"] });

const knownOf = (permissions: unknown): string[] =>
  Array.isArray(permissions) ? permissions.filter((each) => typeof each === "string") : [];

/** What only Terraform knows may be anything. */
const unknownIn = (permissions: unknown, rule: string, kind: Kind): Message[] =>
  hasUnknown(permissions) ? [message("policy_unknown", { rule }, ofPermissions(kind))] : [];

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
    const needed = new Set<string>(uses.flatMap((use) => scopesFor(use.deployed, use)));
    const extra = [...expandScopes(knownOf(permissions))].filter((scope) => !needed.has(scope));
    const users = [...new Set(uses.map(({ deployed }) => nameOfDeployed(deployed)))];
    const parts = { users, extra, needed: [...needed].toSorted() };
    return [
      ...(extra.length > 0 ? [message("wide_key", parts, ofPermissions(kind))] : []),
      ...unknownIn(permissions, "NoWideKeys", kind),
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
