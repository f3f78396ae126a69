/** A key whose secret is in no state. */
import { TerraformOutput } from "cdktf";
import { Construct } from "constructs";
import { withoutUndefined } from "../constructs/declared";
import { ApiKey, type ApiKeyProps } from "../constructs/api-key";
import { ROTATE_AFTER } from "../constructs/rotated-api-key";

/** An API key's props, of which the recipient is required. */
export interface SealedApiKeyProps extends ApiKeyProps {
  /** The secret store's age public key; only its owner can read the secret. */
  readonly recipient: string;
}

/** How long the old key stays valid after a rotation by default, so that its users can fetch the new one. */
const GRACE_PERIOD = "7d";

/**
 * An API key that rotates every 90 days and is handed to a secret store: its secret is encrypted to
 * the store's public key, and `age --decrypt` reads it from an output.
 * @example
 * new SealedApiKey(stack, "deployer", {
 *   permissions: ["instances:*"],
 *   recipient: "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
 * });
 */
export class SealedApiKey extends Construct {
  readonly key: ApiKey;
  /** The encrypted secret; it may be public. */
  readonly output: TerraformOutput;

  constructor(scope: Construct, id: string, props: SealedApiKeyProps) {
    super(scope, id);
    this.key = new ApiKey(this, "Key", {
      name: id,
      rotateAfter: ROTATE_AFTER,
      gracePeriod: GRACE_PERIOD,
      ...withoutUndefined(props),
    });
    this.node.addValidation({
      validate: () =>
        this.key.resource.recipientInput === undefined
          ? [
              "recipient is missing, so the secret would be stored in the state. Set it to the secret store's age public key, which age-keygen prints.",
            ]
          : [],
    });
    this.output = new TerraformOutput(this, "EncryptedValue", {
      value: this.key.encryptedValue,
      description: `The secret of the API key ${props.name ?? id}, encrypted to its recipient.`,
    });
  }
}
