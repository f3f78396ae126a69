/** A proxy before the service that checks what passes, as Prism does. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Exchange, Faults, OpenApiDocument } from "./openapi";

interface Passed {
  /** `POST /servers → 201` */
  readonly call: string;
  readonly status: number;
  readonly request: Faults;
  readonly answer: Faults;
}

/**
 * Starts it before the service at `baseUrl`. With `refuse`, a request that does not fit the
 * document is answered by the proxy, in its own form, and never gets to the service.
 * @returns its own base address, in place of the service's, and what passed, oldest first
 */
export async function startProxy(
  document: OpenApiDocument,
  baseUrl: string,
  { refuse }: { readonly refuse: boolean },
) {
  const passed: Passed[] = [];
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await text(incoming);
    const { pathname, searchParams, search } = new URL(incoming.url ?? "", baseUrl);
    const exchange: Exchange = {
      method: incoming.method ?? "",
      path: pathname.replace(/^\/v1/, ""),
      query: searchParams,
      header: (name) => incoming.headers[name.toLowerCase()]?.toString() ?? null,
      body,
    };
    const request = document.faultsOfRequest(exchange);
    if (refuse && request.length > 0) {
      passed.push({ call: called(exchange, 422), status: 422, request, answer: [] });
      outgoing.writeHead(422, { "content-type": "application/problem+json" });
      outgoing.end(JSON.stringify({ title: "Invalid request", detail: request.join("; ") }));
      return;
    }
    const answered = await fetch(`${baseUrl}${exchange.path}${search}`, {
      method: exchange.method,
      headers: forwarded(incoming),
      ...(body !== "" && { body }),
    });
    const { status, headers } = answered;
    const whole = await answered.text();
    const answer = document.faultsOfAnswer(exchange, { status, headers, body: whole });
    passed.push({ call: called(exchange, status), status, request, answer });
    outgoing.writeHead(status, Object.fromEntries(headers));
    outgoing.end(whole);
  };
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    passed,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const called = ({ method, path }: Exchange, status: number): string =>
  `${method} ${path} → ${status}`;

/** Headers that belong to the message and not to one connection. */
const forwarded = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !/^(?:host|connection|content-length|transfer-encoding)$/.test(name))
      .map(([name, value]) => [name, String(value)]),
  );
