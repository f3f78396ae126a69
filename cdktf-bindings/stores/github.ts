/** Secrets of GitHub Actions. */
import type { SecretStore, StoreClass } from "./secret-store";

/** The argument of `github_actions_secret` that takes a secret; it is stored in the state. */
interface Written {
  readonly plaintextValue?: string;
}

/** What the resource is given. */
export type GithubActionsSecretConfig<C> = Omit<C, keyof Written | "encryptedValue">;

/**
 * Writes a secret of GitHub Actions. **The copy is in the state of GitHub's provider in plain text**,
 * which has no write-only argument for it. `encryptedValue` cannot be used: it takes what libsodium
 * encrypted to GitHub's own key, which is not age's format.
 * @param Store the class `ActionsSecret` of `@cdktf/provider-github`, or one with its arguments
 * @param config its arguments without the value
 */
export function githubActionsSecret<C extends Written, R>(
  Store: StoreClass<C, R>,
  config: GithubActionsSecretConfig<C>,
): SecretStore<R> {
  return (scope, id, { text }) => {
    const written: Written = { plaintextValue: text };
    // The arguments that were left out above are back.
    return new Store(scope, id, { ...config, ...written } as unknown as C);
  };
}
