/** Encryption of what must be readable later but never be in the file as plain text. */
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { RandomBytes } from "../random";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
const KEYS_MAX = 1_000;
/** Derived once for each secret: every answer to a POST is sealed. */
const keys = new Map<string | Uint8Array, Uint8Array>();

function keyOf(secret: string | Uint8Array): Uint8Array {
  let key = keys.get(secret);
  key ??= new Uint8Array(hkdfSync("sha256", secret, "erphost emulator", "seal", 32));
  if (keys.size >= KEYS_MAX) keys.clear();
  keys.set(secret, key);
  return key;
}

/** AES-256-GCM with a key that HKDF derives from `secret`; opens for the same `purpose` only. */
export function seal(
  text: string,
  secret: string | Uint8Array,
  purpose: string,
  bytes: RandomBytes,
): Uint8Array {
  const nonce = bytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(secret), nonce);
  cipher.setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Undoes `seal`; undefined where secret or purpose differs. */
export function unseal(
  sealed: Uint8Array,
  secret: string | Uint8Array,
  purpose: string,
): string | undefined {
  const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, keyOf(secret), sealed.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
