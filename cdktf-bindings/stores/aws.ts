/** AWS Secrets Manager. */
import type { SecretStore, StoreClass } from "./secret-store";

/** The arguments of `aws_secretsmanager_secret_version` that hold a secret in neither plan nor state. */
interface Written {
  readonly secretStringWo?: string;
  readonly secretStringWoVersion?: number;
}

/** What the resource is given. */
export type AwsSecretConfig<C> = Omit<C, keyof Written | "secretBinary" | "secretString">;

/**
 * Writes a secret into AWS Secrets Manager, as a new version after each rotation. The copy there is
 * write-only: it is in neither plan nor state of AWS's provider.
 * @param Store the class `SecretsmanagerSecretVersion` of `@cdktf/provider-aws`
 * @param config its arguments without the secret
 */
export function awsSecret<C extends Written, R>(
  Store: StoreClass<C, R>,
  config: AwsSecretConfig<C>,
): SecretStore<R> {
  return (scope, id, { text, version }) => {
    const written: Written = { secretStringWo: text, secretStringWoVersion: version };
    // The arguments that were left out above are back.
    return new Store(scope, id, { ...config, ...written } as unknown as C);
  };
}
