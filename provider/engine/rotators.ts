/** One rotator per key: two would end each other's keys. */
import { engineError } from "./errors";

export class RotatorGuard {
  private readonly rotators = new Map<string, string>();

  /** Claims a key for a rotator; refuses a second one. */
  claim(keyId: string, by: string): void {
    const other = this.rotators.get(keyId);
    if (other !== undefined && other !== by) {
      throw engineError("two_rotators", { keyId, other });
    }
    this.rotators.set(keyId, by);
  }

  /** A key that its rotator just created is its own, whatever was claimed before. */
  follow(keyId: string, by: string): void {
    this.rotators.set(keyId, by);
  }
}
