/** Encryption of what must be read again but never lie in the file in plain text. */
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { RandomBytes } from "../random";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

const keyOf = (secret: string | Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "erphost emulator", purpose, 32));

/** AES-256-GCM under a key that HKDF makes of `secret`; bound to `purpose`. */
export function seal(
  text: string,
  secret: string | Uint8Array,
  purpose: string,
  bytes: RandomBytes,
): Uint8Array {
  const nonce = bytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(secret, purpose), nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Undoes `seal`; undefined where secret or purpose is another. */
export function unseal(
  sealed: Uint8Array,
  secret: string | Uint8Array,
  purpose: string,
): string | undefined {
  const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(
    CIPHER,
    keyOf(secret, purpose),
    sealed.subarray(0, NONCE_BYTES),
  );
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
