/** The rotation of an API key that was made elsewhere. */
import type { Construct } from "constructs";
import type { Values } from "../provider/contract";
import { ApiKey } from "./api-key";
import { Declared, given, RESOURCE, type NotTaken } from "./construct";
import {
  ApiKeyRotation as RotationResource,
  type ApiKeyRotationConfig,
} from "./generated/api-key-rotation";
import type { IApiKey } from "./interfaces";

/** What a rotation takes. */
export interface RotatedApiKeyProps extends Omit<ApiKeyRotationConfig, NotTaken | "keyId"> {
  /** The key, which no construct declares: `ApiKey.fromApiKeyId(…)`. */
  readonly key: IApiKey;
}

/** How old a key gets by default. */
export const ROTATE_AFTER = "90d";

/**
 * Rotates a key that was made elsewhere, such as in the dashboard: once when it is first applied,
 * and then every 90 days (`rotateAfter`), or when a value of `triggers` changes. Destroying it
 * changes nothing in the service.
 * @example
 * const key = ApiKey.fromApiKeyName(stack, "old", "dashboard");
 * new RotatedApiKey(stack, "rotation", { key, rotateAfter: "30d" });
 */
export class RotatedApiKey extends Declared<RotationResource> implements IApiKey {
  readonly resource: RotationResource;
  readonly apiKeyId: string;

  constructor(scope: Construct, id: string, props: RotatedApiKeyProps) {
    super(scope, id);
    const { key, ...rest } = props;
    this.apiKeyId = key.apiKeyId;
    this.resource = this.declare(
      "api_key_rotation",
      () =>
        new Rendered(this, RESOURCE, {
          rotateAfter: ROTATE_AFTER,
          ...given(rest),
          keyId: key.apiKeyId,
          ...this.identity(rest.idempotencyToken),
        }),
      { key_id: "key" },
    );
    if (key instanceof ApiKey) {
      this.node.addValidation({
        validate: () => [
          `key is declared by ${key.node.path}, which rotates it: a key has one rotator. Set rotateAfter or triggers there, and remove this construct.`,
        ],
      });
    }
  }

  /** Id of the key that works now. */
  get currentKeyId(): string {
    return this.resource.currentKeyId;
  }

  /** The secret; sensitive. Absent with a recipient, and until the first rotation. */
  get value(): string {
    return this.resource.value;
  }

  /** The secret encrypted to the recipient, as ASCII-armored age. */
  get encryptedValue(): string {
    return this.resource.encryptedValue;
  }
}

class Rendered extends RotationResource {
  protected override synthesizeAttributes(): Values {
    return given(super.synthesizeAttributes());
  }
}
