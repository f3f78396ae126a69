import { TerraformOutput } from "cdktf";
import { Construct } from "constructs";
import { message } from "../../provider/messages";
import { joinAccount } from "../constructs/account";
import { ApiKey, type ApiKeyProps } from "../constructs/api-key";
import { withoutUndefined } from "../constructs/declared";
import { defaultName } from "../constructs/identity";
import type { IApiKey } from "../constructs/interfaces.gen";
import { ROTATE_AFTER } from "../constructs/rotated-api-key";
import { emptyForNull } from "../hcl";
import { secretOf, type SecretStore } from "../stores/secret-store";
import { sentenceOf } from "../voice";

/** An API key's props, of which the recipient is required. */
export interface SealedApiKeyProps extends ApiKeyProps {
  /** The store's age public key; only its owner can read the secret. A plan refuses null. */
  readonly recipient: string;
  /** Age at which the key is rotated, in days and by the service's clock; default: `90d`. */
  readonly rotateAfter?: string;
  /** How long the old key works after a rotation, so that its users can fetch the new one; default: `7d`. */
  readonly gracePeriod?: string;
}

/**
 * An API key that rotates every 90 days and is handed to a secret store: its secret is encrypted to
 * the store's public key, and `age --decrypt` reads it from an output.
 * @example
 * new SealedApiKey(stack, "deployer", {
 *   permissions: ["instances:*"],
 *   recipient: "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
 * });
 */
export class SealedApiKey extends Construct implements IApiKey {
  readonly key: ApiKey;
  /** The encrypted secret; it may be public. */
  readonly output: TerraformOutput;

  constructor(scope: Construct, id: string, props: SealedApiKeyProps) {
    super(scope, id);
    const given = withoutUndefined(props);
    joinAccount(this, given.provider);
    this.key = new ApiKey(this, "Key", {
      name: defaultName(this, id),
      rotateAfter: ROTATE_AFTER,
      gracePeriod: "7d",
      ...given,
      // Without a recipient the secret would be in the state.
      recipient: emptyForNull(given.recipient),
    });
    const missing = sentenceOf(message("recipient_missing", {}, { path: ["recipient"] }));
    this.node.addValidation({
      validate: () => (this.key.resource.recipientInput === undefined ? [missing] : []),
    });
    this.output = new TerraformOutput(this, "EncryptedValue", {
      value: this.encryptedValue,
      description: `The secret of the API key ${given.name ?? defaultName(this, id)}, encrypted to its recipient.`,
    });
  }

  /** Id of the first key of its line, which rotations do not change. */
  get apiKeyId(): string {
    return this.key.apiKeyId;
  }

  /** Id of the key that is valid now. */
  get currentKeyId(): string {
    return this.key.currentKeyId;
  }

  /** The secret, encrypted to the recipient, in ASCII-armored age format. */
  get encryptedValue(): string {
    return this.key.encryptedValue;
  }

  /**
   * Hands the encrypted secret to a store, and a new one in the run that rotates the key: below this
   * construct, `store` makes the resource that keeps it. Only the recipient can read it there.
   */
  deliverTo<S>(id: string, store: SecretStore<S>): S {
    return store(this, id, secretOf(this.key.resource));
  }

  /** The key's address in Terraform, so that it can be listed in `dependsOn`. */
  get fqn(): string {
    return this.key.fqn;
  }
}
