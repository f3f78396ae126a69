/**
 * `erphost/webhooks`: checks and reads notifications of the service (contract, part 6).
 * Assumption: Standard Webhooks, as the contract shows no headers and no signature.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { eventSchema, type WebhookEvent } from "../../contract";
import { systemInjectables } from "../settings/system";

export type { WebhookEvent } from "../../contract";

/** Why a notification is refused. Answer 400 and do nothing. */
export type WebhookFault = "missing_header" | "bad_timestamp" | "bad_signature" | "bad_payload";

export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
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
  /** `whsec_…`; several while one is being replaced. */
  readonly secrets: string | readonly string[];
  /** Seconds that the timestamp may differ from now; default 300. */
  readonly toleranceS?: number;
  /** Milliseconds since 1970; default the machine's clock. */
  readonly nowMs?: number;
}

const TOLERANCE_S = 300;

/**
 * The notification, when it is genuine and of now.
 * @throws WebhookError with the reason; no secret is in its message.
 */
export function verifyWebhook(options: VerifyOptions): Delivery {
  const {
    body,
    headers,
    secrets,
    toleranceS = TOLERANCE_S,
    nowMs = systemInjectables().clock.wallMs(),
  } = options;
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const given = header(headers, "webhook-signature");
  const ageS = nowMs / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(ageS) > toleranceS) {
    throw new WebhookError(
      "bad_timestamp",
      `webhook ${id}: its timestamp is more than ${toleranceS} s from now. Check this machine's clock, and refuse it.`,
    );
  }
  const keys = (typeof secrets === "string" ? [secrets] : secrets).map(keyOf);
  const signed = `${id}.${timestamp}.${body.toString()}`;
  const expected = keys.map((key) => createHmac("sha256", key).update(signed).digest());
  if (!given.split(" ").some((one) => expected.some((mac) => matches(one, mac)))) {
    throw new WebhookError(
      "bad_signature",
      `webhook ${id}: no signature fits. Check the secret and that the raw body is verified.`,
    );
  }
  return { id, event: parse(id, body.toString()) };
}

function header(headers: VerifyOptions["headers"], name: string): string {
  const value = headers[name];
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookError("missing_header", `a webhook needs exactly one header ${name}.`);
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64");

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
    throw new WebhookError("bad_payload", `webhook ${id}: the body is no JSON.`);
  }
  const event = eventSchema.safeParse(json);
  if (event.success) return event.data;
  throw new WebhookError("bad_payload", `webhook ${id}: the body is no event that is known here.`);
}
