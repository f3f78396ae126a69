import type { Construct } from "constructs";
import {
  ApiKeyRotation as RotationResource,
  type ApiKeyRotationConfig,
} from "../generated/api-key-rotation";
import { withoutUndefined, type DeclaredProps, type Replaced } from "./declared";
import { DeclaredKey } from "./declared-key";
import type { IApiKey } from "./interfaces.gen";

export interface RotatedApiKeyProps
  extends Omit<ApiKeyRotationConfig, Replaced | "keyId" | "rotateAfter">, DeclaredProps {
  /** A key that no construct declares: `ApiKey.fromApiKeyId(…)`. Changing this forces replacement. */
  readonly key: IApiKey;
  /** Age at which the key is rotated, in days and by the service's clock; default: `90d`. */
  readonly rotateAfter?: string;
}

/** Default age at which a key is rotated. */
export const ROTATE_AFTER = "90d";

/**
 * Rotates a key that was created elsewhere, such as in the dashboard: when it is first applied, then
 * every 90 days (`rotateAfter`) or when a value of `triggers` changes. Destroying it changes nothing
 * in the service.
 * @example
 * const key = ApiKey.fromApiKeyName(stack, "old", "dashboard");
 * new RotatedApiKey(stack, "rotation", { key, rotateAfter: "30d" });
 */
export class RotatedApiKey extends DeclaredKey<RotationResource> implements IApiKey {
  readonly resource: RotationResource;
  readonly apiKeyId: string;

  constructor(scope: Construct, id: string, props: RotatedApiKeyProps) {
    super(scope, id);
    const { key, ...rest } = withoutUndefined(props);
    this.apiKeyId = this.idOf("key", "api_key", key);
    this.resource = this.declare(RotationResource, {
      rotateAfter: ROTATE_AFTER,
      ...rest,
      keyId: this.apiKeyId,
    });
  }
}
