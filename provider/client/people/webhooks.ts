/**
 * `erphost/webhooks`: checks and reads notifications of the service (contract, part 6).
 * Assumption: Webhooks.
 */
import "../../start/node";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { z } from "zod";
import { events, eventSchema, InvalidInput, issueAt, jsonOf } from "../../contract";
import { otherEventSchema } from "../../contract";
import type { InputIssue, Values } from "../../contract";
import { message, plainVoice, sentence, type Message } from "../../messages";
import { systemInjectables } from "../settings/system";

export { InvalidInput } from "../../contract";

/** An event of the contract. `data` may hold more than is typed. */
export type KnownWebhookEvent = z.output<typeof eventSchema>;

/** An event that this release does not know, whatever it is about. */
export interface UnknownWebhookEvent {
  readonly event: "unknown";
  /** What the service calls it. */
  readonly name: string;
  readonly timestamp: string;
  readonly data: Values;
}

/** What a notification says; `event` tells the two apart. */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

/** Why a notification is refused. Answer 400 and do nothing. */
export type WebhookFault = "missing_header" | "bad_timestamp" | "bad_signature" | "bad_payload";

export class WebhookError extends Error {
  override readonly name = "WebhookError";

  constructor(
    readonly code: WebhookFault,
    reason: Message,
  ) {
    super(sentence(plainVoice, reason));
  }
}

export interface Delivery {
  /** The same on every attempt: keep it to handle a notification once. */
  readonly id: string;
  readonly event: WebhookEvent;
}

/** The part of the Fetch API's `Headers` that is read. */
export interface FetchHeaders {
  get(name: string): string | null;
}

export interface VerifyOptions {
  /** The raw body, before any parsing: text, or bytes such as a `Buffer`. */
  readonly body: string | Uint8Array;
  /**
   * `webhook-id`, `webhook-timestamp` and `webhook-signature`, in lower case as Node.js gives them,
   * or the `Headers` of a Fetch request.
   */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> | FetchHeaders;
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
 * The notification, if it is genuine and recent.
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
  const bytes = Buffer.from(body);
  const expected = keys.map((key) =>
    createHmac("sha256", key).update(`${id}.${timestamp}.`).update(bytes).digest(),
  );
  if (!given.split(" ").some((one) => expected.some((mac) => matches(one, mac)))) {
    throw new WebhookError("bad_signature", message("webhook_bad_signature", { id }));
  }
  return { id, event: parse(id, bytes.toString("utf8")) };
}

function header(headers: VerifyOptions["headers"], name: string): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : headers[name];
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookError("missing_header", message("webhook_missing_header", { name }));
}

// A plain record may have a header named `get`, but no function.
const isFetchHeaders = (headers: VerifyOptions["headers"]): headers is FetchHeaders =>
  typeof headers["get" as keyof typeof headers] === "function";

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
  const json = jsonOf(text);
  const event = read(json);
  if (event) return event;
  const isJson = json !== undefined;
  throw new WebhookError("bad_payload", message("webhook_bad_payload", { id, isJson }));
}

function read(json: unknown): WebhookEvent | undefined {
  const payload = otherEventSchema.safeParse(json).data;
  if (!payload) return undefined;
  const { event: name, timestamp, data } = payload;
  if (!Object.hasOwn(events, name)) return { event: "unknown", name, timestamp, data };
  return eventSchema.safeParse({ ...payload, data: withoutNull(data) }).data;
}

/** Null counts as absent, as it does in records. */
const withoutNull = (data: Values): Values =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
