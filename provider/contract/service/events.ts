/** Webhook notifications (contract, part 6). */
import * as z from "zod";

/** Every event and what it means. */
export const events = {
  "server.created": { source: "documented", doc: "server provisioned" },
  "server.deleted": { source: "documented", doc: "server removed" },
  "instance.deployed": { source: "documented", doc: "instance ready" },
  "instance.stopped": { source: "documented", doc: "instance stopped" },
  "backup.completed": { source: "documented", doc: "backup finished" },
  "backup.failed": { source: "documented", doc: "backup errored" },
} as const;
export type EventName = keyof typeof events;
export const eventNames = Object.keys(events) as [EventName, ...EventName[]];

/** What the payload holds. Only `instance.deployed` shows its `data`. */
export const eventSchema = z.looseObject({
  event: z.enum(eventNames),
  timestamp: z.string(),
  data: z.looseObject({
    instance_id: z.string().optional(),
    server_id: z.string().optional(),
    status: z.string().optional(),
  }),
});
export type WebhookEvent = z.output<typeof eventSchema>;
