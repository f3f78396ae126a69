/**
 * The service as an OpenAPI 3.1 document, for tools that know nothing of this project. `x-said-by`
 * separates what is documented from what is assumed and what a profile adds.
 */
import type { Contract, ResolvedResource } from "../contract";
import { environments } from "../service/key-format";
import { errorAnswers, errorSchemas } from "./errors";
import { headerComponents } from "./headers";
import { content, type Json, reference } from "./json";
import { actions, authTest, collectionPaths, joined, rotate } from "./paths";
import { envelopeSchemas, recordSchemas } from "./schemas";
import { pascal } from "../definition/naming";
import { type EventName, events, webhookHeaders } from "../service/events";

export interface OpenApiOptions {
  /** The base address; ends in `/v1`. */
  readonly baseUrl: string;
  /** Leaves out the operations that are only assumed. Default false. */
  readonly strict?: boolean;
}

/** The document, as JSON. Only what it is asked for is made, so that importing it costs nothing. */
export function openApiDocument(contract: Contract, { baseUrl, strict }: OpenApiOptions): Json {
  const resources = Object.values<ResolvedResource>(contract.resources).map((resource) =>
    strict === true ? documentedPart(resource) : resource,
  );
  const keys = contract.resources.api_key.definition.name;
  return {
    openapi: "3.1.0",
    info: {
      title: "Hosted ERP service",
      version: "v1",
      description:
        "Generated from erphost's definitions. What is assumed where the service's documentation is silent is listed in docs/reference/contract.md.",
      contact: { name: "The erphost authors", url: "https://github.com/erphost/erphost" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      {
        url: "{base_url}",
        variables: {
          base_url: { default: baseUrl, description: "The address of the service, ending in /v1." },
        },
      },
    ],
    security: [{ key: [] }],
    tags: resources.map(({ definition: { name, doc } }) => ({ name, description: doc })),
    paths: joined([
      ...resources.flatMap(collectionPaths),
      [contract.authTestPath, authTest(keys)],
      [contract.rotatePath, rotate(keys)],
    ]),
    webhooks: webhooks(),
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          bearerFormat: `<prefix>_<${environments.join("|")}>_<identifier>`,
        },
      },
      schemas: {
        ...recordSchemas(resources),
        ...envelopeSchemas(),
        ...errorSchemas(),
        ...eventSchemas(),
      },
      responses: errorAnswers(),
      headers: headerComponents(),
    },
  };
}

const documentedPart = (resource: ResolvedResource): ResolvedResource => ({
  ...resource,
  operations: Object.fromEntries(
    actions
      .map((action) => [action, resource.operations[action]] as const)
      .filter(([, source]) => source !== undefined && source !== "assumed"),
  ),
});

const names = (): EventName[] =>
  // The keys of that very table.
  Object.keys(events) as EventName[];

/** `server.created` → `ServerCreated` */
const title = (name: EventName): string => pascal(name.replace(".", "_"));

const eventSchemas = (): Json =>
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
const webhooks = (): Json =>
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
