/** Vault's key-value engine. */
import { Fn } from "cdktf";
import { VARIABLE, versionOf, type SecretStore, type StoreClass } from "./secret-store";

/** The arguments of `vault_kv_secret_v2` that hold a secret in neither plan nor state. */
interface Written {
  readonly dataJsonWo?: string;
  readonly dataJsonWoVersion?: number;
}

/** What the resource is given. */
export type VaultKvConfig<C> = Omit<C, keyof Written | "dataJson"> & {
  /** Name of the secret in the JSON; default: `ERPHOST_API_KEY`. Another one writes the secret again. */
  readonly field?: string;
};

/**
 * Writes a secret into Vault's key-value engine, version 2. The copy in Vault is write-only: it is in
 * neither plan nor state of Vault's provider.
 * @param Store the class `KvSecretV2` of `@cdktf/provider-vault`
 * @param config its arguments without the data, and a name for the secret
 */
export function vaultKv<C extends Written, R>(
  Store: StoreClass<C, R>,
  { field = VARIABLE, ...config }: VaultKvConfig<C>,
): SecretStore<R> {
  return (scope, id, secret) => {
    const written: Written = {
      dataJsonWo: Fn.jsonencode({ [field]: secret.text }),
      dataJsonWoVersion: versionOf(secret, field),
    };
    // Without the field, the arguments that were left out above are back.
    return new Store(scope, id, { ...config, ...written } as unknown as C);
  };
}
