/** Where programs read the secrets of keys, by the generated classes that a user's program has. */
export { awsSecret, type AwsSecretConfig } from "./aws";
export { githubActionsSecret, type GithubActionsSecretConfig } from "./github";
export { kubernetesSecret, type KubernetesSecretConfig } from "./kubernetes";
export type { KeySecret, SecretStore, StoreClass } from "./secret-store";
export { vaultKv, type VaultKvConfig } from "./vault";
