/** Serves `/v1`, the OpenAPI document at `/openapi.json`, `/_emulator`, and the dashboard at `/`. */
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Feed } from "../control/feed";
import type { Api, ApiResult, Cut } from "../service/api";
import { readBody, tooLarge } from "./body";
import { pageRoutes } from "./page";

/** The end of the base address (contract, head). */
export const BASE_PATH = "/v1";
/** Longer than client pools keep idle connections, so that none is closed while being reused. */
const KEEP_ALIVE_MS = 120_000;

export type App = Hono<{ Bindings: HttpBindings }>;

export interface AppParts {
  readonly api: Api;
  readonly control: App;
  readonly feed: Feed;
  /** Describes the service that is found at a base address. */
  readonly document: (baseUrl: string) => object;
}

/** All routes but those of the service. */
function createApp({ control, document }: Omit<AppParts, "api" | "feed">): App {
  const app: App = new Hono();
  app.route("/_emulator", control);
  pageRoutes(app);
  app.get("/openapi.json", (context) =>
    context.json(document(`${new URL(context.req.url).origin}${BASE_PATH}`)),
  );
  app.notFound((context) =>
    context.json({ error: { code: "not_found", message: `the service is at ${BASE_PATH}` } }, 404),
  );
  return app;
}

const isForService = ({ url = "" }: IncomingMessage): boolean =>
  url === BASE_PATH || /^\/v1[/?]/.test(url);

/** Past the framework, which would not send an answer that is cut short, and takes its time. */
async function serve(
  { api, feed }: Pick<AppParts, "api" | "feed">,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await readBody(incoming);
  if ("problem" in body && body.problem === "aborted") return;
  const [path = "", query = ""] = (incoming.url ?? "").split(/\?(.*)/s);
  feed.touch("requests");
  const result = await api.handle({
    method: incoming.method ?? "GET",
    path: path.slice(BASE_PATH.length),
    query: new URLSearchParams(query),
    header: (name) => incoming.headers[name]?.toString(),
    body: "text" in body ? body.text : "",
    refusal: "text" in body ? undefined : tooLarge(),
    remoteAddress: incoming.socket.remoteAddress ?? "",
  });
  feed.touch("requests");
  deliver(incoming, outgoing, result);
}

export interface Listening {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Listens; fails where the port is taken. Closing ends open connections at once. */
export async function listen(parts: AppParts, host: string, port: number): Promise<Listening> {
  const others = getRequestListener(createApp(parts).fetch);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, outgoing) => {
    if (!isForService(incoming)) void others(incoming, outgoing);
    // Half an answer cannot be mended: the connection ends.
    else serve(parts, incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    // A TCP server's address is always of this shape.
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Straight to Node.js, because a framework would not send an answer that is cut short. */
function deliver(incoming: IncomingMessage, outgoing: ServerResponse, result: ApiResult): void {
  const { answer, cut } = result;
  if (!answer || cut === "reset") {
    incoming.socket.resetAndDestroy();
    return;
  }
  const { status, headers, body } = answer;
  outgoing.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  if (cut) truncate(outgoing, Buffer.from(body), cut);
  // As text, which Node.js sends together with the headers, in one piece.
  else outgoing.end(body);
}

function truncate(outgoing: ServerResponse, body: Buffer, cut: Exclude<Cut, "reset">): void {
  const end = Math.min(cut.bytes ?? Math.floor(body.length / 2), body.length);
  outgoing.flushHeaders();
  const destroy = () => outgoing.socket?.destroy();
  if (end === 0) setImmediate(destroy);
  else outgoing.write(body.subarray(0, end), destroy);
}
