/** Encryption of intents under the API key. */
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { canonicalJson } from "../../contract";
import type { IntentEntry } from "./entry";

/** The intent that a text is sealed for: in another one it can't be opened. */
export type SealedFor = Pick<IntentEntry, "id" | "account" | "kind">;

const keyFrom = (apiKey: string): Buffer =>
  Buffer.from(hkdfSync("sha256", apiKey, "erphost", "intent body", 32));

const boundTo = ({ id, account, kind }: SealedFor): Buffer =>
  Buffer.from(canonicalJson([id, account.baseUrl, account.environment, kind]));

/** What a text is sealed with. */
interface SealOptions {
  readonly apiKey: string;
  readonly nonce: Buffer;
  readonly intent: SealedFor;
}

/** AES-256-GCM; nonce, tag and text as one base64 string. */
export function seal(text: string, { apiKey, nonce, intent }: SealOptions): string {
  const cipher = createCipheriv("aes-256-gcm", keyFrom(apiKey), nonce);
  cipher.setAAD(boundTo(intent));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
}

/** Undefined where the key or the intent is another one, or the text was changed. */
export function unseal(sealed: string, apiKey: string, intent: SealedFor): string | undefined {
  try {
    const bytes = Buffer.from(sealed, "base64");
    const decipher = createDecipheriv("aes-256-gcm", keyFrom(apiKey), bytes.subarray(0, 12));
    decipher.setAAD(boundTo(intent));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
