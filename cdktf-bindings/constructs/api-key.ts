import { Fn, Token, type IResolvable } from "cdktf";
import type { Construct } from "constructs";
import type { Permission } from "../../provider/contract";
import { computedList, computedNow, isComputed } from "../checks/computed";
import { ApiKey as ApiKeyResource, type ApiKeyConfig } from "../generated/api-key";
import { faultsOfDeployKey } from "../keys/deploy-key";
import { recordUse, type DeployKeyOptions, type Deployed } from "../keys/uses";
import { withoutUndefined, type NamedProps, type Replaced } from "./declared";
import { defaultName } from "./identity";
import { ApiKeyLookups } from "./lookups.gen";

export type { Permission };

export interface ApiKeyProps
  extends Omit<ApiKeyConfig, Replaced | "name" | "permissions">, NamedProps {
  /** Scopes, wildcards or levels of the key; of a variable, its `value`. */
  readonly permissions: readonly Permission[] | IResolvable;
}

/**
 * Declares an API key, and rotates it as `rotateAfter` and `triggers` say. Without a `recipient` the
 * state holds the secret in plain text: Terraform hides it in its output but does not encrypt it.
 * @example
 * new ApiKey(stack, "pipeline", { permissions: ["servers:read"], rotateAfter: "90d" });
 */
export class ApiKey extends ApiKeyLookups {
  readonly resource: ApiKeyResource;

  constructor(scope: Construct, id: string, props: ApiKeyProps) {
    super(scope, id);
    const given = withoutUndefined(props);
    this.resource = this.declare(ApiKeyResource, {
      name: defaultName(this, id),
      ...given,
      // A list stays as it is; one that is known only later becomes the library's list of one token.
      permissions: Token.asList(given.permissions),
    });
    const { permissions } = given;
    this.node.addValidation({ validate: () => faultsOfDeployKey(this.resource, permissions) });
  }

  /**
   * Adds permissions. The service has them for kinds of objects: a key that may change one server
   * may change them all.
   */
  allow(...permissions: readonly Permission[]): void {
    const given = this.resource.permissionsInput ?? [];
    const union = (): string[] => [...new Set([...computedNow(given), ...permissions])];
    if (!Token.isUnresolved(given)) this.resource.permissions = union();
    else if (isComputed(given)) this.resource.permissions = Token.asList(computedList(union));
    else this.resource.permissions = Token.asList(Fn.concat([given, [...permissions]]));
  }

  /** States what uses this key; the Aspect `NoWideKeys` holds its permissions against what that needs. */
  usedBy(deployed: Deployed, options: DeployKeyOptions = {}): void {
    recordUse(this.resource, { ...options, deployed });
  }
}
