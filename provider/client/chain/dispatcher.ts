/** The connection pool: as many sockets as calls at a time, through the proxy where there is one. */
import { getCACertificates } from "node:tls";
import { Agent, ProxyAgent, type Dispatcher } from "undici";
import type { Configuration } from "../settings/read";

const KEEP_ALIVE_MS = 30_000;

/** Undici's own agent ignores proxies and certificates, and opens a socket per request. */
export function dispatcherOf({ concurrency, proxy, ca }: Configuration): Dispatcher {
  // Certificates are added to those that Node trusts anyway, not put in their place.
  const tls = ca === undefined ? {} : { ca: [...getCACertificates("default"), ca] };
  const pool = { connections: concurrency, keepAliveTimeout: KEEP_ALIVE_MS };
  return proxy === undefined
    ? new Agent({ ...pool, connect: tls })
    : new ProxyAgent({ ...pool, uri: proxy, requestTls: tls, proxyTls: tls });
}
