/** Why a webhook is refused, and what is wrong with the receiver's configuration. */
import { define, predicate } from "../message";

const REMEDY =
  "A secret is whsec_ followed by base64, as the service shows it. Check the configuration.";

export const webhooksMessages = {
  webhook_missing_header: define<{ name: string }>({
    when: "A webhook lacks a header, or has it more than once.",
    summary: "Missing header",
    text: ({ name }) => `the webhook must have exactly one ${name} header`,
    examples: [{ name: "webhook-id" }],
  }),
  webhook_bad_timestamp: define<{ id: string; toleranceS: number }>({
    when: "The timestamp of a webhook is too far from the current time.",
    summary: "Timestamp out of range",
    text: ({ id, toleranceS }) =>
      `the timestamp of webhook ${id} is more than ${toleranceS} s from the current time`,
    remedy: () => "Refuse the webhook, and check the clock of this machine.",
    examples: [{ id: "msg_1", toleranceS: 300 }],
  }),
  webhook_bad_signature: define<{ id: string }>({
    when: "No signature of a webhook matches its content.",
    summary: "Invalid signature",
    text: ({ id }) => `webhook ${id} has no valid signature`,
    remedy: () => "Check the secret, and that the raw body is verified.",
    examples: [{ id: "msg_1" }],
  }),
  webhook_bad_payload: define<{ id: string; isJson: boolean }>({
    when: "The body of a genuine webhook does not have the form of an event.",
    summary: "Malformed event",
    text: ({ id, isJson }) =>
      `the body of webhook ${id} ${isJson ? "does not have the form of an event" : "is not valid JSON"}`,
    examples: [
      { id: "msg_1", isJson: false },
      { id: "msg_1", isJson: true },
    ],
  }),
  webhook_no_secret: predicate({
    when: "The secret of webhooks is empty or not set.",
    summary: "Missing secret",
    text: () => "is missing or empty",
    remedy: () => REMEDY,
  }),
  webhook_secret_not_base64: predicate({
    when: "The secret of webhooks is not base64.",
    summary: "Invalid secret",
    text: () => "is not valid base64",
    remedy: () => REMEDY,
  }),
  webhook_secret_too_short: predicate<{ bytes: number; least: number }>({
    when: "The secret of webhooks is too short to be safe.",
    summary: "Secret too short",
    text: ({ bytes, least }) => `has ${bytes} bytes; the minimum is ${least}`,
    remedy: () => REMEDY,
    examples: [{ bytes: 3, least: 16 }],
  }),
  webhook_bad_tolerance: predicate({
    when: "The tolerance would accept a webhook of any age, or none.",
    summary: "Invalid tolerance",
    text: () => "must be a positive, finite number of seconds",
  }),
};
