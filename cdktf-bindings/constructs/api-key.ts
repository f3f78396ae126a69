/** The credential of an API client. */
import type { Construct } from "constructs";
import { ApiKey as ApiKeyResource, type ApiKeyConfig } from "../generated/api-key";
import { DataErphostApiKey } from "../generated/data-erphost-api-key";
import { RESOURCE, withoutUndefined, type Unsupported } from "./declared";
import { DeclaredKey } from "./declared-key";
import { existing } from "./existing";
import type { IApiKey } from "./interfaces";

/** Props of an API key. */
export interface ApiKeyProps extends Omit<ApiKeyConfig, Unsupported | "name"> {
  /** Descriptive label; default: the construct's id. */
  readonly name?: string;
}

/**
 * Declares an API key, and rotates it as `rotateAfter` and `triggers` say. Without a `recipient` the
 * state holds the secret in plain text: Terraform hides it in its output but does not encrypt it.
 * @example
 * new ApiKey(stack, "pipeline", { permissions: ["servers:read"], rotateAfter: "90d" });
 */
export class ApiKey extends DeclaredKey<ApiKeyResource> implements IApiKey {
  readonly resource: ApiKeyResource;

  constructor(scope: Construct, id: string, props: ApiKeyProps) {
    super(scope, id);
    this.resource = this.declare(ApiKeyResource, {
      name: id,
      ...withoutUndefined(props),
    });
  }

  /** Refers to an existing API key by the id of any key of its line; makes no call. */
  static fromApiKeyId(scope: Construct, id: string, apiKeyId: string): IApiKey {
    return existing(scope, id, { apiKeyId }, "Or use fromApiKeyName.");
  }

  /** Refers to an existing API key by its label, which the plan looks up; several matches are an error. */
  static fromApiKeyName(scope: Construct, id: string, name: string): IApiKey {
    const found = existing(scope, id, { name }, "Or use fromApiKeyId.");
    return Object.assign(found, { apiKeyId: new DataErphostApiKey(found, RESOURCE, { name }).id });
  }

  get apiKeyId(): string {
    return this.resource.id;
  }
}
