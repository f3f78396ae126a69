/** The connection pool: as many sockets as calls at a time, through the proxy where there is one. */
import { getCACertificates } from "node:tls";
import type { Agent, Dispatcher, ProxyAgent } from "undici";
import type { Configuration } from "../settings/read";

const KEEP_ALIVE_MS = 30_000;

/** Undici's own agent ignores proxies and certificates, and opens a socket per request. */
export function dispatcherOf({ concurrency, proxy, ca }: Configuration): Dispatcher {
  // Certificates are added to those that Node trusts anyway, not put in their place.
  const tls = ca === undefined ? {} : { ca: [...getCACertificates("default"), ca] };
  const pool = { connections: concurrency, keepAliveTimeout: KEEP_ALIVE_MS };
  // Loaded here, and not by the whole package, which has a hundred modules for what nobody uses here:
  // they would take longer to load than all of the client.
  if (proxy === undefined) {
    const Direct = require("undici/lib/dispatcher/agent") as typeof Agent;
    return new Direct({ ...pool, connect: tls });
  }
  const Proxied = require("undici/lib/dispatcher/proxy-agent") as typeof ProxyAgent;
  return new Proxied({ ...pool, uri: proxy, requestTls: tls, proxyTls: tls });
}
