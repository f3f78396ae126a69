/** The stores that are known, by the generated classes that a user's program has. */
import { Fn } from "cdktf";
import { VARIABLE, versionOf, type SecretStore, type StoreClass } from "./secret-store";

/** The arguments of `vault_kv_secret_v2` that hold a secret in neither plan nor state. */
interface KvSecretArguments {
  readonly dataJsonWo?: string;
  readonly dataJsonWoVersion?: number;
}

/** Its arguments without the secret. */
export type VaultKvConfig<C> = Omit<C, keyof KvSecretArguments | "dataJson"> & {
  /** Name of the secret in the JSON; default: `ERPHOST_API_KEY`. Another one writes the secret again. */
  readonly field?: string;
};

/**
 * Writes a secret into Vault's key-value engine, version 2. The copy in Vault is write-only: it is in
 * neither plan nor state of Vault's provider.
 * @param Store the class `KvSecretV2` of `@cdktf/provider-vault`
 * @param config its arguments without the data, and a name for the secret
 */
export function vaultKv<C extends KvSecretArguments, R>(
  Store: StoreClass<C, R>,
  { field = VARIABLE, ...config }: VaultKvConfig<C>,
): SecretStore<R> {
  return (scope, id, secret) => {
    const own: KvSecretArguments = {
      dataJsonWo: Fn.jsonencode({ [field]: secret.text }),
      dataJsonWoVersion: versionOf(secret, field),
    };
    // Without the field, the arguments that were left out above are back.
    return new Store(scope, id, { ...config, ...own } as unknown as C);
  };
}

/** The arguments of `aws_secretsmanager_secret_version` that hold a secret in neither plan nor state. */
interface AwsSecretArguments {
  readonly secretStringWo?: string;
  readonly secretStringWoVersion?: number;
}

/** Its arguments without the secret. */
export type AwsSecretConfig<C> = Omit<
  C,
  keyof AwsSecretArguments | "secretBinary" | "secretString"
>;

/**
 * Writes a secret into AWS Secrets Manager, as a new version after each rotation. The copy there is
 * write-only: it is in neither plan nor state of AWS's provider.
 * @param Store the class `SecretsmanagerSecretVersion` of `@cdktf/provider-aws`
 * @param config its arguments without the secret
 */
export function awsSecret<C extends AwsSecretArguments, R>(
  Store: StoreClass<C, R>,
  config: AwsSecretConfig<C>,
): SecretStore<R> {
  return (scope, id, { text, version }) => {
    const own: AwsSecretArguments = { secretStringWo: text, secretStringWoVersion: version };
    // The arguments that were left out above are back.
    return new Store(scope, id, { ...config, ...own } as unknown as C);
  };
}

/** The arguments of `kubernetes_secret_v1` that hold a secret in neither plan nor state. */
interface SecretV1Arguments {
  readonly dataWo?: Readonly<Record<string, string>>;
  readonly dataWoRevision?: number;
}

/** Its arguments without the secret. */
export type KubernetesSecretConfig<C> = Omit<C, keyof SecretV1Arguments | "data"> & {
  /** Name of the secret in the data; default: `ERPHOST_API_KEY`. Another one writes the secret again. */
  readonly field?: string;
};

/**
 * Writes a secret into a Secret of Kubernetes, ready for `envFrom`. The copy there is write-only: it
 * is in neither plan nor state of Kubernetes's provider.
 * @param Store the class `SecretV1` of `@cdktf/provider-kubernetes`
 * @param config its arguments without the data, and a name for the secret
 */
export function kubernetesSecret<C extends SecretV1Arguments, R>(
  Store: StoreClass<C, R>,
  { field = VARIABLE, ...config }: KubernetesSecretConfig<C>,
): SecretStore<R> {
  return (scope, id, secret) => {
    const own: SecretV1Arguments = {
      dataWo: { [field]: secret.text },
      dataWoRevision: versionOf(secret, field),
    };
    // Without the field, the arguments that were left out above are back.
    return new Store(scope, id, { ...config, ...own } as unknown as C);
  };
}

/** The argument of `github_actions_secret` that takes a secret; it is stored in the state. */
interface ActionsSecretArguments {
  readonly plaintextValue?: string;
}

/** Its arguments without the secret. */
export type GithubActionsSecretConfig<C> = Omit<C, keyof ActionsSecretArguments | "encryptedValue">;

/**
 * Writes a secret of GitHub Actions. **The copy is in the state of GitHub's provider in plain text**,
 * which has no write-only argument for it. `encryptedValue` cannot be used: it takes what libsodium
 * encrypted to GitHub's own key, which is not age's format.
 * @param Store the class `ActionsSecret` of `@cdktf/provider-github`, or one with its arguments
 * @param config its arguments without the value
 */
export function githubActionsSecret<C extends ActionsSecretArguments, R>(
  Store: StoreClass<C, R>,
  config: GithubActionsSecretConfig<C>,
): SecretStore<R> {
  return (scope, id, { text }) => {
    const own: ActionsSecretArguments = { plaintextValue: text };
    // The arguments that were left out above are back.
    return new Store(scope, id, { ...config, ...own } as unknown as C);
  };
}
