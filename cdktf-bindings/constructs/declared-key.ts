import type { IResolvable, TerraformResource } from "cdktf";
import { secretOf, type Key, type SecretStore } from "../stores/secret-store";
import { Declared } from "./declared";

/** The attributes of a generated resource that holds a key. */
interface KeyResource extends TerraformResource, Key {
  readonly currentKeyId: string;
  readonly createdAt: string;
  readonly rotationDue: IResolvable;
  readonly previousKeyExpiresAt: string;
}

/** A declared key, or the declared rotation of one. */
export abstract class DeclaredKey<R extends KeyResource> extends Declared<R> {
  /** Id of the key that is valid now. */
  get currentKeyId(): string {
    return this.resource.currentKeyId;
  }

  /** The secret; sensitive. Absent if there is a recipient, and until a rotation's first run. */
  get value(): string {
    return this.resource.value;
  }

  /** The secret, encrypted to the recipient, in ASCII-armored age format. */
  get encryptedValue(): string {
    return this.resource.encryptedValue;
  }

  /** When the current key was created, ISO 8601 in UTC. */
  get rotatedAt(): string {
    return this.resource.rotatedAt;
  }

  /** Whether `rotateAfter` had passed when the state was last read. */
  get rotationDue(): IResolvable {
    return this.resource.rotationDue;
  }

  /** When the previous key stops working; absent until the first rotation. */
  get previousKeyExpiresAt(): string {
    return this.resource.previousKeyExpiresAt;
  }

  /**
   * Hands the secret to a store, and a new one in the run that rotates the key: below this construct,
   * `store` makes the resource that keeps it.
   */
  deliverTo<S>(id: string, store: SecretStore<S>): S {
    return store(this, id, secretOf(this.resource));
  }
}
