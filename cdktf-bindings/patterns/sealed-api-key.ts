/** A key whose secret no state holds. */
import { TerraformOutput } from "cdktf";
import { Construct } from "constructs";
import { given } from "../construct";
import { ApiKey, type ApiKeyProps } from "../api-key";
import { ROTATE_AFTER } from "../rotated-api-key";

/** What it takes: an API key's props, with the recipient. */
export interface SealedApiKeyProps extends ApiKeyProps {
  /** Public key (age) of the secret store; only its owner can read the secret. */
  readonly recipient: string;
}

/** How long an old key works after a rotation by default, for whoever reads the store to notice. */
const GRACE_PERIOD = "7d";

/**
 * An API key that rotates every 90 days and is handed to a secret store: its secret is encrypted to
 * the store's public key, and is an output that `age --decrypt` reads.
 * @example
 * new SealedApiKey(stack, "deployer", {
 *   permissions: ["instances:*"],
 *   recipient: "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
 * });
 */
export class SealedApiKey extends Construct {
  readonly key: ApiKey;
  /** The encrypted secret; anybody may see it. */
  readonly output: TerraformOutput;

  constructor(scope: Construct, id: string, props: SealedApiKeyProps) {
    super(scope, id);
    this.key = new ApiKey(this, "Key", {
      name: id,
      rotateAfter: ROTATE_AFTER,
      gracePeriod: GRACE_PERIOD,
      ...given(props),
    });
    this.node.addValidation({
      validate: () =>
        this.key.resource.recipientInput === undefined
          ? [
              "recipient is missing, so that the secret would lie in the state. Give the secret store's age public key, which age-keygen prints.",
            ]
          : [],
    });
    this.output = new TerraformOutput(this, "EncryptedValue", {
      value: this.key.encryptedValue,
      description: `The secret of the API key ${props.name ?? id}, encrypted to its recipient.`,
    });
  }
}
