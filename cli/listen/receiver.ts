/** Receives webhooks over HTTP: verified, and of now. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { verifyWebhook, WebhookError, type Delivery } from "../../provider/client/people/webhooks";
import { faultOf } from "./targets";

const BODY_BYTES_MAX = 1024 * 1024;
const REQUEST_MS_MAX = 10_000;
const CONNECTIONS_MAX = 100;
/** How often late requests are looked for; Node.js would do it twice a minute. */
const LOOK_MS = 1_000;
/** Seconds that a timestamp may differ from now. */
const TOLERANCE_S = 300;

export interface ReceiverParts {
  readonly host: string;
  readonly port: number;
  /** How long a request may take; default 10 seconds. */
  readonly requestMs?: number;
  readonly secrets: readonly string[];
  readonly nowMs: () => number;
  /** Whether nothing fails; answered by GET /health. */
  readonly isHealthy: () => boolean;
  /** The status to answer, once what it says of the event is true. */
  readonly accept: (received: Delivery) => number;
  readonly log: (line: string) => void;
}

/** @throws the error of Node.js where the address cannot be used */
export async function receive(parts: ReceiverParts) {
  const { requestMs = REQUEST_MS_MAX } = parts;
  const server = createServer({
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: LOOK_MS,
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.on("request", (request, response) => {
    void answer(request, parts).then((status) => end(response, status));
  });
  server.listen(parts.port, parts.host);
  await once(server, "listening");
  // A server on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${parts.host.includes(":") ? `[${parts.host}]` : parts.host}:${port}/`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: status === 413 ? "close" : "keep-alive" }).end();
}

/** The status to answer. Every webhook is one line of the log. */
async function answer(
  request: IncomingMessage,
  { secrets, nowMs, isHealthy, accept, log }: ReceiverParts,
): Promise<number> {
  if (request.method === "GET" && request.url === "/health") return isHealthy() ? 200 : 503;
  if (request.method !== "POST") return 405;
  const body = await bodyOf(request);
  if (body === undefined) {
    log("refused: a body that is more than 1 MiB, or broke off");
    return 413;
  }
  try {
    const received = verifyWebhook({
      body,
      headers: request.headers,
      secrets,
      toleranceS: TOLERANCE_S,
      nowMs: nowMs(),
    });
    const fault = faultOf(received.event);
    if (fault !== undefined) {
      log(`refused: webhook ${received.id} ${fault}`);
      return 400;
    }
    return accept(received);
  } catch (error) {
    log(`refused: ${error instanceof WebhookError ? error.message : "it cannot be read"}`);
    return 400;
  }
}

/** Undefined where it is too long or breaks off. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      const bytes = chunk as Buffer; // No encoding is set.
      length += bytes.length;
      if (length > BODY_BYTES_MAX) return undefined;
      chunks.push(bytes);
    }
  } catch {
    return undefined; // It broke off: the sender has gone, and sends it again.
  }
  return Buffer.concat(chunks);
}
