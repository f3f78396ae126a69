import type { TerraformResource } from "cdktf";
import { isAdmin, isWildcard, type Values } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";
import { hasUnknown, type Kind } from "../../provider/resources";
import { Policy, type PolicyOptions } from "./policy";

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
    const about = { subject: { kind: kind.name }, path: ["permissions"] };
    const known = Array.isArray(permissions)
      ? permissions.filter((each) => typeof each === "string")
      : [];
    const wide = known.filter((each) => isAdmin(each) || isWildcard(each));
    return [
      ...(wide.length > 0 ? [message("key_wide", { wide }, about)] : []),
      ...(hasUnknown(permissions)
        ? [message("policy_unknown", { rule: "NoAdminKeys" }, about)]
        : []),
    ];
  }
}
