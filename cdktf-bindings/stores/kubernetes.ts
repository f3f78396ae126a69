/** Secrets of Kubernetes. */
import { VARIABLE, versionOf, type SecretStore, type StoreClass } from "./secret-store";

/** The arguments of `kubernetes_secret_v1` that hold a secret in neither plan nor state. */
interface Written {
  readonly dataWo?: Readonly<Record<string, string>>;
  readonly dataWoRevision?: number;
}

/** What the resource is given. */
export type KubernetesSecretConfig<C> = Omit<C, keyof Written | "data"> & {
  /** Name of the secret in the data; default: `ERPHOST_API_KEY`. Another one writes the secret again. */
  readonly field?: string;
};

/**
 * Writes a secret into a Secret of Kubernetes, ready for `envFrom`. The copy there is write-only: it
 * is in neither plan nor state of Kubernetes's provider.
 * @param Store the class `SecretV1` of `@cdktf/provider-kubernetes`
 * @param config its arguments without the data, and a name for the secret
 */
export function kubernetesSecret<C extends Written, R>(
  Store: StoreClass<C, R>,
  { field = VARIABLE, ...config }: KubernetesSecretConfig<C>,
): SecretStore<R> {
  return (scope, id, secret) => {
    const written: Written = {
      dataWo: { [field]: secret.text },
      dataWoRevision: versionOf(secret, field),
    };
    // Without the field, the arguments that were left out above are back.
    return new Store(scope, id, { ...config, ...written } as unknown as C);
  };
}
