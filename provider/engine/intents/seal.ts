/** Encryption of intents under the API key. */
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

const keyFrom = (apiKey: string): Buffer =>
  Buffer.from(hkdfSync("sha256", apiKey, "erphost", "intent body", 32));

/** AES-256-GCM; nonce, tag and text as one base64 string. */
export function seal(text: string, apiKey: string, nonce: Buffer): string {
  const cipher = createCipheriv("aes-256-gcm", keyFrom(apiKey), nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
}

/** Undefined where the key is another one, or the text was changed. */
export function unseal(sealed: string, apiKey: string): string | undefined {
  try {
    const bytes = Buffer.from(sealed, "base64");
    const decipher = createDecipheriv("aes-256-gcm", keyFrom(apiKey), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
