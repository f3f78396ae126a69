/**
 * Public hosts, on this machine: a proxy through which a program reaches `registry.terraform.io` or
 * any other host that a test names, over TLS and by its real name. Every other host is refused, so
 * that nothing leaves the machine.
 */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer as createProxy } from "node:http";
import { createServer } from "node:https";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { makeCertificate } from "../../../provider/terraform/host/certificate";
import { listening } from "../servers";

/** What a host answers to a GET; undefined is a 404. */
export type Site = (path: string) => Buffer | string | undefined;

export type PublicHosts = Awaited<ReturnType<typeof startPublicHosts>>;

/**
 * @param folder where the certificate is written that a program has to trust
 * @param sites by host; one may be replaced while it is served
 */
export async function startPublicHosts(folder: string, sites: Readonly<Record<string, Site>>) {
  const hosts = Object.keys(sites);
  const { certificatePem: cert, keyPem: key } = makeCertificate(Date.now(), randomBytes(8), hosts);
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, cert);
  /** What was asked for, in the order of the requests: `registry.terraform.io/v1/…`. */
  const requests: string[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    const [host = ""] = (request.headers.host ?? "").split(":");
    const { pathname } = new URL(request.url ?? "/", `https://${host}`);
    requests.push(host + pathname);
    const content = request.method === "GET" ? sites[host]?.(pathname) : undefined;
    // The engines read no description that is sent as anything else.
    const type = pathname.endsWith(".zip") ? "application/zip" : "application/json";
    const body = content ?? "not found";
    // Pulumi takes no archive of an unknown length.
    const length = Buffer.byteLength(body);
    const headers = { "content-type": type, "content-length": length };
    response.writeHead(content === undefined ? 404 : 200, headers);
    response.end(body);
  });
  const here = await listening(server);
  const { proxy, sockets } = proxyTo(here.port, sites);
  const led = await listening(proxy);
  return {
    /** Variables by which Go, Node.js, Python and curl find the hosts and trust them. */
    env: {
      HTTPS_PROXY: `http://127.0.0.1:${led.port}`,
      SSL_CERT_FILE: authority,
      NODE_EXTRA_CA_CERTS: authority,
      REQUESTS_CA_BUNDLE: authority,
      CURL_CA_BUNDLE: authority,
    },
    requests,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([here.stop(), led.stop()]);
    },
  };
}

/** Leads every CONNECT to a known host to the one server that answers for all of them. */
function proxyTo(port: number, sites: Readonly<Record<string, Site>>) {
  const sockets = new Set<Socket>();
  const proxy = createProxy((_, response) => response.writeHead(403).end());
  proxy.on("connect", (request, client: Socket) => {
    sockets.add(client.on("error", () => client.destroy()));
    if (!Object.keys(sites).includes(request.url?.replace(/:443$/, "") ?? "")) {
      client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const server = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      client.pipe(server).pipe(client);
    });
    server.on("error", () => client.destroy());
    client.on("close", () => server.destroy());
  });
  return { proxy, sockets };
}
