/** A credential of a client. */
import type { Construct } from "constructs";
import type { Values } from "../provider/contract";
import { Declared, Existing, given, RESOURCE, type NotTaken } from "./construct";
import { ApiKey as ApiKeyResource, type ApiKeyConfig } from "./generated/api-key";
import { DataErphostApiKey } from "./generated/data-erphost-api-key";
import type { IApiKey } from "./interfaces";

/** What an API key takes. */
export interface ApiKeyProps extends Omit<ApiKeyConfig, NotTaken | "name"> {
  /** Descriptive label; default: the construct's id. */
  readonly name?: string;
}

/**
 * Declares an API key, with the rotation that `rotateAfter` and `triggers` ask for. Without a
 * `recipient` the state holds the secret in plain text: Terraform hides it, and encrypts nothing.
 * @example
 * new ApiKey(stack, "pipeline", { permissions: ["servers:read"], rotateAfter: "90d" });
 */
export class ApiKey extends Declared<ApiKeyResource> implements IApiKey {
  readonly resource: ApiKeyResource;

  constructor(scope: Construct, id: string, props: ApiKeyProps) {
    super(scope, id);
    this.resource = this.declare(
      "api_key",
      () =>
        new Rendered(this, RESOURCE, {
          name: id,
          ...given(props),
          ...this.identity(props.idempotencyToken),
        }),
    );
  }

  /** A key that exists, by the id of any key of its line; nothing is asked of the service. */
  static fromApiKeyId(scope: Construct, id: string, apiKeyId: string): IApiKey {
    return new ApiKeyOfId(scope, id, apiKeyId);
  }

  /** A key that exists, found by its label while planning; several of that label are an error. */
  static fromApiKeyName(scope: Construct, id: string, name: string): IApiKey {
    return new ApiKeyOfName(scope, id, name);
  }

  get apiKeyId(): string {
    return this.resource.id;
  }

  /** Id of the key that works now. */
  get currentKeyId(): string {
    return this.resource.currentKeyId;
  }

  /** The secret; sensitive. Absent with a recipient. */
  get value(): string {
    return this.resource.value;
  }

  /** The secret encrypted to the recipient, as ASCII-armored age. */
  get encryptedValue(): string {
    return this.resource.encryptedValue;
  }
}

class ApiKeyOfId extends Existing implements IApiKey {
  readonly apiKeyId: string;

  constructor(scope: Construct, id: string, apiKeyId: string) {
    super(scope, id);
    this.apiKeyId = this.given("apiKeyId", apiKeyId, "Or use fromApiKeyName.");
  }
}

class ApiKeyOfName extends Existing implements IApiKey {
  private readonly found: DataErphostApiKey;

  constructor(scope: Construct, id: string, name: string) {
    super(scope, id);
    this.found = new DataErphostApiKey(this, RESOURCE, {
      name: this.given("name", name, "Or use fromApiKeyId."),
    });
  }

  get apiKeyId(): string {
    return this.found.id;
  }
}

class Rendered extends ApiKeyResource {
  protected override synthesizeAttributes(): Values {
    return given(super.synthesizeAttributes());
  }
}
