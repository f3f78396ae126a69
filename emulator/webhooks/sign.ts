/** Signatures as Standard Webhooks defines them. */
import { createHmac } from "node:crypto";
import type { RandomBytes } from "../random";

const SECRET_BYTES = 32;
const BYTES_MIN = 16;
/** What is said of another secret. */
export const WEBHOOK_SECRET_EXPECTED = `must be whsec_ followed by at least ${BYTES_MIN} bytes in base64`;

/** Whether receivers will take a secret: strict base64, as `verifyWebhook` does. */
export function isWebhookSecret(secret: string): boolean {
  const text = /^whsec_(.+)$/s.exec(secret)?.[1] ?? "";
  const key = Buffer.from(text, "base64");
  // Node's decoder skips what is not base64, so the bytes are encoded and compared.
  const padded = key.toString("base64");
  const isBase64 = text === padded || text === padded.replace(/=+$/, "");
  return isBase64 && key.length >= BYTES_MIN;
}

/** `whsec_` and base64 of 32 random bytes. */
export const makeSecret = (bytes: RandomBytes): string =>
  `whsec_${Buffer.from(bytes(SECRET_BYTES)).toString("base64")}`;

/** The header `webhook-signature`: HMAC-SHA256 over id, timestamp in seconds and raw body. */
export function signature(secret: string, id: string, timestampS: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${timestampS}.${body}`).digest("base64");
  return `v1,${mac}`;
}
