import { Fn, Token, type IResolvable } from "cdktf";
import type { Construct } from "constructs";
import type { Permission } from "../../provider/contract";
import { computedList, computedNow, isComputed } from "../checks/computed";
import { ApiKey as ApiKeyResource, type ApiKeyConfig } from "../generated/api-key";
import { DataErphostApiKey, type DataErphostApiKeyConfig } from "../generated/data-erphost-api-key";
import {
  DataErphostApiKeys,
  type DataErphostApiKeysConfig,
} from "../generated/data-erphost-api-keys";
import { faultsOfDeployKey } from "../keys/deploy-key";
import { recordUse, type DeployKeyOptions, type Deployed } from "../keys/uses";
import { DEFAULT, withoutUndefined, type DeclaredProps, type Replaced } from "./declared";
import { DeclaredKey } from "./declared-key";
import { existing, idsIn, lookedUp, lookedUpBy, withAttributes } from "./existing";
import type { Attributes, FoundAll, LookupOptions, Selection } from "./existing";
import { defaultName } from "./identity";
import type { IApiKey } from "./interfaces";

export type { Permission };

const ATTRIBUTES = ["name", "permissions", "expiresAt", "createdAt", "properties"] as const;

/** An API key that a lookup has found, with its attributes. */
export type FoundApiKey = IApiKey & Attributes<DataErphostApiKey, (typeof ATTRIBUTES)[number]>;

export interface ApiKeyProps
  extends Omit<ApiKeyConfig, Replaced | "name" | "permissions">, DeclaredProps {
  /** Descriptive label; default: the construct's id, after the stage's prefix. */
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
      name: defaultName(this, id),
      ...given,
      // A list stays as it is; one that is known only later becomes the library's list of one token.
      permissions: Token.asList(given.permissions),
    });
    const { permissions } = given;
    this.node.addValidation({ validate: () => faultsOfDeployKey(this.resource, permissions) });
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
  ): FoundApiKey {
    const instead = "Or use fromApiKeyId.";
    const found = existing(scope, id, { by: { name }, instead, ...options });
    const data = new DataErphostApiKey(found, DEFAULT, { name, ...lookedUpBy(found) });
    return withAttributes(found, data, ATTRIBUTES, { apiKeyId: lineOf(data) });
  }

  /** Refers to the one API key that matches, which the plan looks up; none and several are errors. */
  static fromLookup(
    scope: Construct,
    id: string,
    selection: Selection<DataErphostApiKeyConfig>,
    options: LookupOptions = {},
  ): FoundApiKey {
    const found = lookedUp(scope, id, { Source: DataErphostApiKey, selection, ...options });
    return withAttributes(found, found.data, ATTRIBUTES, { apiKeyId: lineOf(found.data) });
  }

  /** The API keys that match, newest first, which the plan looks up. */
  static lookupAll(
    scope: Construct,
    id: string,
    selection: Selection<DataErphostApiKeysConfig> = {},
    options: LookupOptions = {},
  ): FoundAll<DataErphostApiKeys> {
    const found = lookedUp(scope, id, { Source: DataErphostApiKeys, selection, ...options });
    return Object.assign(found, { ids: idsIn(found.data, "api_keys") });
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

/** A rotation gives the name to another key; the id of its line stays. */
const lineOf = ({ lineageId, id }: DataErphostApiKey): string =>
  Token.asString(Fn.coalesce([lineageId, id]));
