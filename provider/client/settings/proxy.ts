/** How the service is reached: the proxy that applies to it. */
import { BlockList, isIPv6 } from "node:net";
import type { EnvironmentVariables } from "./system";

/** A variable that is empty counts as not set. */
const variable = (env: EnvironmentVariables, name: string): string | undefined =>
  env[name]?.trim() === "" ? undefined : env[name]?.trim();

export interface ProxySources {
  readonly given: string | false | undefined;
  readonly env: EnvironmentVariables;
}

export const proxyVariable = (base: URL): string =>
  base.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";

/** The proxy's address; undefined for none, null for one that cannot be used. */
export function readProxy({ given, env }: ProxySources, base: URL): string | null | undefined {
  if (given === false) return undefined;
  const named = (name: string) => variable(env, name.toLowerCase()) ?? variable(env, name);
  const bypassed = given === undefined && isBypassed(base, named("NO_PROXY") ?? "");
  const proxy = given ?? (bypassed ? undefined : named(proxyVariable(base)));
  if (proxy === undefined) return undefined;
  const address = proxy.includes("://") ? proxy : `http://${proxy}`;
  try {
    const { protocol, username, password } = new URL(address);
    // Undici decodes both, and fails at a bare % only when it connects.
    decodeURIComponent(`${username}:${password}`);
    return /^https?:$/.test(protocol) ? address : null;
  } catch {
    return null;
  }
}

/** Whether requests go over a network unencrypted: not https, and not only on this machine. */
export function isPlainHttp(baseUrl: string, proxy: string | undefined): boolean {
  // A proxy elsewhere gets even requests for this machine.
  return new URL(baseUrl).protocol !== "https:" && !isOnThisMachine(baseUrl, proxy);
}

/** Whether requests stay on this machine: by an address that no resolver decides, and no proxy elsewhere. */
export function isOnThisMachine(baseUrl: string, proxy: string | undefined): boolean {
  const isOwn = (url: string): boolean =>
    /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
  return isOwn(baseUrl) && (proxy === undefined || isOwn(proxy));
}

/** Whether `NO_PROXY` names the host: itself, a domain or network above it, or `*`; a port may follow. */
function isBypassed(base: URL, noProxy: string): boolean {
  const host = base.hostname
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
  const port = base.port === "" ? (base.protocol === "https:" ? "443" : "80") : base.port;
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      const match = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(entry);
      // More than one colon without brackets is an IPv6 address.
      const name = (match?.[1] ?? match?.[2] ?? entry).replace(/^\*?\./, "").replace(/\.$/, "");
      if (match?.[3] !== undefined && match[3] !== port) return false;
      return name === "*" || host === name || host.endsWith(`.${name}`) || isWithin(host, name);
    });
}

/** Whether an address is in a network, such as `10.0.0.0/8`. */
function isWithin(host: string, network: string): boolean {
  const [address = "", bits = ""] = network.split("/");
  const [from, to] = [address, host].map((each) => (isIPv6(each) ? "ipv6" : "ipv4"));
  const block = new BlockList();
  try {
    block.addSubnet(address, Number.parseInt(bits, 10), from);
    return block.check(host, to);
  } catch {
    return false;
  }
}
