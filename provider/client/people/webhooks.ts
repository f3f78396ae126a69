/**
 * `erphost/webhooks`: checks and reads notifications of the service (contract, part 6).
 * Assumption: Standard Webhooks, as the contract shows no headers and no signature.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import {
  eventSchema,
  InvalidInput,
  issueAt,
  type InputIssue,
  type WebhookEvent,
} from "../../contract";
import { message, plainVoice, sentence, type Message } from "../../messages";
import { systemInjectables } from "../settings/system";

export { InvalidInput, type WebhookEvent } from "../../contract";

/** Why a notification is refused. Answer 400 and do nothing. */
export type WebhookFault = "missing_header" | "bad_timestamp" | "bad_signature" | "bad_payload";

export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly code: WebhookFault;

  constructor(code: WebhookFault, reason: Message) {
    super(sentence(plainVoice, reason));
    this.code = code;
  }
}

export interface Delivery {
  /** The same on every attempt: keep it to handle a notification once. */
  readonly id: string;
  readonly event: WebhookEvent;
}

export interface VerifyOptions {
  /** The raw body, before any parsing. */
  readonly body: string | Buffer;
  /** `webhook-id`, `webhook-timestamp` and `webhook-signature`, lower case as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `whsec_` and base64 of at least 16 bytes; several while one is being replaced. */
  readonly secrets: string | readonly string[];
  /** Seconds that the timestamp may differ from now: positive and finite, default 300. */
  readonly toleranceS?: number;
  /** Milliseconds since 1970; default the machine's clock. */
  readonly nowMs?: number;
}

const TOLERANCE_S = 300;
/** Standard Webhooks asks for 24 to 64 bytes. Shorter secrets exist; below 16 bytes none is safe. */
const SECRET_BYTES_MIN = 16;

/**
 * The notification, when it is genuine and of now.
 * @throws WebhookError with the reason; no secret is in its message.
 * @throws InvalidInput where a secret or the tolerance would let anybody's message pass, whatever
 *   the message: the receiver is at fault, not the sender. No secret is in its message.
 */
export function verifyWebhook(options: VerifyOptions): Delivery {
  const {
    body,
    headers,
    secrets,
    toleranceS = TOLERANCE_S,
    nowMs = systemInjectables().clock.wallMs(),
  } = options;
  const keys = keysOf(secrets, toleranceS);
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const given = header(headers, "webhook-signature");
  const ageS = Math.abs(nowMs / 1000 - Number(timestamp));
  // Negated, so that a comparison with NaN refuses.
  if (!/^\d+$/.test(timestamp) || !(ageS <= toleranceS)) {
    throw new WebhookError("bad_timestamp", message("webhook_bad_timestamp", { id, toleranceS }));
  }
  const signed = `${id}.${timestamp}.${body.toString()}`;
  const expected = keys.map((key) => createHmac("sha256", key).update(signed).digest());
  if (!given.split(" ").some((one) => expected.some((mac) => matches(one, mac)))) {
    throw new WebhookError("bad_signature", message("webhook_bad_signature", { id }));
  }
  return { id, event: parse(id, body.toString()) };
}

function header(headers: VerifyOptions["headers"], name: string): string {
  const value = headers[name];
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookError("missing_header", message("webhook_missing_header", { name }));
}

/** @throws InvalidInput with every fault at once */
function keysOf(secrets: VerifyOptions["secrets"], toleranceS: number): Buffer[] {
  const issues: InputIssue[] = [];
  const read = (secret: string, path: InputIssue["path"]): Buffer => {
    const text = typeof secret === "string" ? secret.replace(/^whsec_/, "") : "";
    const key = Buffer.from(text, "base64");
    issues.push(...secretFaults(path, text, key));
    return key;
  };
  const keys = Array.isArray(secrets)
    ? secrets.map((secret: string, index) => read(secret, ["secrets", index]))
    : // A list is the only other type, and the compiler does not know that of readonly ones.
      [read(secrets as string, ["secrets"])];
  if (keys.length === 0) issues.push(issueAt(["secrets"], "webhook_no_secret", {}));
  if (!(Number.isFinite(toleranceS) && toleranceS > 0)) {
    issues.push(issueAt(["toleranceS"], "webhook_bad_tolerance", {}));
  }
  if (issues.length > 0) throw new InvalidInput("webhook configuration", issues);
  return keys;
}

/** Why a secret cannot prove anything; nothing where it can. Never repeats it. */
function secretFaults(path: InputIssue["path"], text: string, key: Buffer): InputIssue[] {
  if (text === "") return [issueAt(path, "webhook_no_secret", {})];
  // Node's decoder skips what is not base64, so the bytes are encoded and compared.
  const padded = key.toString("base64");
  if (text !== padded && text !== padded.replace(/=+$/, "")) {
    return [issueAt(path, "webhook_secret_not_base64", {})];
  }
  if (key.length >= SECRET_BYTES_MIN) return [];
  const parts = { bytes: key.length, least: SECRET_BYTES_MIN };
  return [issueAt(path, "webhook_secret_too_short", parts)];
}

function matches(given: string, mac: Buffer): boolean {
  const text = /^v1,(.+)$/.exec(given)?.[1];
  if (text === undefined) return false;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === mac.length && timingSafeEqual(bytes, mac);
}

function parse(id: string, text: string): WebhookEvent {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new WebhookError("bad_payload", message("webhook_bad_payload", { id, isJson: false }));
  }
  const event = eventSchema.safeParse(json);
  if (event.success) return event.data;
  throw new WebhookError("bad_payload", message("webhook_bad_payload", { id, isJson: true }));
}
