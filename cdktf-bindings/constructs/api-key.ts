/** The credential of an API client. */
import { Fn, Token, type IResolvable } from "cdktf";
import type { Construct } from "constructs";
import type { Permission } from "../../provider/contract";
import { ApiKey as ApiKeyResource, type ApiKeyConfig } from "../generated/api-key";
import { DataErphostApiKey } from "../generated/data-erphost-api-key";
import { DEFAULT, withoutUndefined, type Unsupported } from "./declared";
import { DeclaredKey } from "./declared-key";
import { existing, lookedUpBy, type Found, type LookupOptions } from "./existing";
import type { IApiKey } from "./interfaces";

export type { Permission };

/** Props of an API key. */
export interface ApiKeyProps extends Omit<ApiKeyConfig, Unsupported | "name" | "permissions"> {
  /** Descriptive label; default: the construct's id. */
  readonly name?: string;
  /** Scopes, wildcards or levels of the key; of a variable, its `value`. */
  readonly permissions: readonly Permission[] | IResolvable;
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
    const given = withoutUndefined(props);
    this.resource = this.declare(ApiKeyResource, {
      name: id,
      ...given,
      // A list stays as it is; one that is known only later becomes the library's list of one token.
      permissions: Token.asList(given.permissions),
    });
  }

  /** Refers to an existing API key by the id of any key of its line; makes no call. */
  static fromApiKeyId(
    scope: Construct,
    id: string,
    apiKeyId: string,
    options: LookupOptions = {},
  ): IApiKey {
    return existing(scope, id, { by: { apiKeyId }, instead: "Or use fromApiKeyName.", ...options });
  }

  /** Refers to an existing API key by its label, which the plan looks up; several matches are an error. */
  static fromApiKeyName(
    scope: Construct,
    id: string,
    name: string,
    options: LookupOptions = {},
  ): IApiKey & Found<DataErphostApiKey> {
    const found = existing(scope, id, {
      by: { name },
      instead: "Or use fromApiKeyId.",
      ...options,
    });
    const data = new DataErphostApiKey(found, DEFAULT, { name, ...lookedUpBy(found) });
    // A rotation gives the name to another key; the id of its line stays.
    const apiKeyId = Token.asString(Fn.coalesce([data.lineageId, data.id]));
    return Object.assign(found, { apiKeyId, data });
  }

  get apiKeyId(): string {
    return this.resource.id;
  }

  /** Its label. */
  get name(): string {
    return this.resource.name;
  }

  /** Its free fields, those that the service has added among them. */
  get properties(): Readonly<Record<string, unknown>> {
    return this.resource.properties;
  }
}
