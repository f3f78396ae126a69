/** Signatures as Standard Webhooks defines them. */
import { createHmac } from "node:crypto";
import type { RandomBytes } from "../random";

const SECRET_BYTES = 32;

/** `whsec_` and base64 of 32 random bytes. */
export const makeSecret = (bytes: RandomBytes): string =>
  `whsec_${Buffer.from(bytes(SECRET_BYTES)).toString("base64")}`;

/** The header `webhook-signature`: HMAC-SHA256 over id, timestamp in seconds and raw body. */
export function signature(secret: string, id: string, timestampS: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${timestampS}.${body}`).digest("base64");
  return `v1,${mac}`;
}
