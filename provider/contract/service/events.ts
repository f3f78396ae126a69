/** Webhook notifications (contract, part 6). */
import * as z from "zod";
import type { Source } from "../definition/define";
import { answeredTime } from "./envelope";

interface EventFacts {
  readonly source: Source;
  readonly doc: string;
  /** Members of `data` that the contract shows. */
  readonly shows: readonly ("instance_id" | "server_id" | "status")[];
}

export const events = {
  "server.created": { source: "documented", doc: "server provisioned", shows: [] },
  "server.deleted": { source: "documented", doc: "server removed", shows: [] },
  "instance.deployed": {
    source: "documented",
    doc: "instance ready",
    shows: ["instance_id", "server_id", "status"],
  },
  "instance.stopped": { source: "documented", doc: "instance stopped", shows: [] },
  "backup.completed": { source: "documented", doc: "backup finished", shows: [] },
  "backup.failed": { source: "documented", doc: "backup errored", shows: [] },
} as const satisfies Record<string, EventFacts>;
export type EventName = keyof typeof events;
export const eventNames = Object.keys(events) as [EventName, ...EventName[]];

/** What the payload holds. Only `instance.deployed` shows its `data`. */
export const eventSchema = z.looseObject({
  event: z.enum(eventNames),
  timestamp: answeredTime,
  data: z.looseObject({
    instance_id: z.string().optional(),
    server_id: z.string().optional(),
    status: z.string().optional(),
  }),
});

/** The payload of an event that this release does not know: nothing is known of its `data`. */
export const otherEventSchema = z.looseObject({
  event: z.string().min(1),
  timestamp: answeredTime,
  data: z.record(z.string(), z.unknown()),
});

/** Headers of a notification. Assumption: Webhooks. */
export const webhookHeaders = {
  "webhook-id": "The same on every attempt.",
  "webhook-timestamp": "When it was sent, in Unix seconds.",
  "webhook-signature":
    "`v1,` and base64 of an HMAC of id, timestamp and body; several are separated by blanks.",
} as const;
