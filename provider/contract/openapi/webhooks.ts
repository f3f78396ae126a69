/** What the service sends by itself. */
import { pascal } from "../definition/naming";
import { events, webhookHeaders, type EventName } from "../service/events";
import { content, reference, type Json } from "./json";

const names = (): EventName[] =>
  // The keys of that very table.
  Object.keys(events) as EventName[];

/** `server.created` → `ServerCreated` */
const title = (name: EventName): string => pascal(name.replace(".", "_"));

/** A schema per event. */
export const eventSchemas = (): Json =>
  Object.fromEntries(names().map((name) => [`${title(name)}Event`, eventSchema(name)]));

function eventSchema(name: EventName): Json {
  const { doc, source, shows } = events[name];
  const members: readonly string[] = shows;
  return {
    type: "object",
    description: doc,
    "x-said-by": source,
    properties: {
      event: { const: name },
      timestamp: { type: "string", format: "date-time" },
      data: {
        type: "object",
        properties: Object.fromEntries(members.map((member) => [member, { type: "string" }])),
        ...(members.length > 0 && { required: members }),
        additionalProperties: true,
      },
    },
    required: ["event", "timestamp", "data"],
    additionalProperties: true,
  };
}

/** Every notification, as a request that a receiver answers. */
export const webhooks = (): Json =>
  Object.fromEntries(names().map((name) => [name, { post: notification(name) }]));

const notification = (name: EventName): Json => ({
  operationId: `on${title(name)}`,
  summary: `Receive ${name}`,
  description:
    "Sent at least once; the id is the same on every attempt. Delivery and signature follow Standard Webhooks, which is assumed.",
  "x-said-by": events[name].source,
  security: [],
  parameters: Object.entries(webhookHeaders).map(([header, description]) => ({
    name: header,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  })),
  requestBody: { required: true, content: content(reference(`${title(name)}Event`)) },
  responses: {
    "2XX": { description: "Received." },
    "4XX": { description: "Refused; it is sent again later." },
    "410": { description: "This receiver wants no more notifications." },
  },
});
