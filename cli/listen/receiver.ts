/** Receives webhooks over HTTP: verified, of now, and each once. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { verifyWebhook, WebhookError } from "../../provider/client/people/webhooks";
import type { Received } from "./queue";
import { faultOf } from "./targets";

const BODY_BYTES_MAX = 1024 * 1024;
const REQUEST_MS_MAX = 10_000;
const CONNECTIONS_MAX = 100;
/** How often late requests are looked for; Node.js would do it twice a minute. */
const LOOK_MS = 1_000;
/** Seconds that a timestamp may differ from now. */
const TOLERANCE_S = 300;
/** Ids that are remembered. Where there are more, events are refused, and the service sends them again. */
const IDS_MAX = 10_000;

export interface ReceiverParts {
  readonly host: string;
  readonly port: number;
  /** How long a request may take; default 10 seconds. */
  readonly requestMs?: number;
  readonly secrets: readonly string[];
  readonly nowMs: () => number;
  readonly accept: (received: Received) => void;
  readonly log: (line: string) => void;
}

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

/** @throws the error of Node.js where the address cannot be used */
export async function receive(parts: ReceiverParts): Promise<Receiver> {
  const seen = new Seen(parts.nowMs);
  const { requestMs = REQUEST_MS_MAX } = parts;
  const server = createServer({
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: LOOK_MS,
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.on("request", (request, response) => {
    void answer(request, parts, seen).then((status) => end(response, status));
  });
  await listening(server, parts);
  // A server on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${parts.host.includes(":") ? `[${parts.host}]` : parts.host}:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const listening = (server: Server, { host, port }: ReceiverParts): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });

function end(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: status === 413 ? "close" : "keep-alive" }).end();
}

/** The status to answer. Every request is one line of the log. */
async function answer(
  request: IncomingMessage,
  { secrets, nowMs, accept, log }: ReceiverParts,
  seen: Seen,
): Promise<number> {
  if (request.method === "GET" && request.url === "/health") return 200;
  if (request.method !== "POST") return 405;
  const body = await bodyOf(request);
  if (body === undefined) return 413;
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
    const known = seen.add(received.id);
    if (known === "new") accept({ ...received, bytes: body.length });
    else log(`${known === "seen" ? "seen before" : "refused, too many events"}: ${received.id}`);
    return known === "full" ? 503 : 200;
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

/** Ids of events, for as long as their timestamp would be accepted. */
class Seen {
  private readonly ids = new Map<string, number>();

  constructor(private readonly nowMs: () => number) {}

  add(id: string): "new" | "seen" | "full" {
    const nowMs = this.nowMs();
    // In the order in which they came: the first that is not too old ends the search.
    for (const [known, untilMs] of this.ids) {
      if (untilMs > nowMs) break;
      this.ids.delete(known);
    }
    if (this.ids.has(id)) return "seen";
    if (this.ids.size >= IDS_MAX) return "full";
    this.ids.set(id, nowMs + 2 * TOLERANCE_S * 1_000);
    return "new";
  }
}
