/** Who may use `/_emulator`: anybody on a loopback address, elsewhere and on a twin only admins. */
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { ServiceError } from "../http/errors";
import { callerOf, checkAddress, checkExpiry } from "../service/authenticate";
import type { Service } from "../service/service";
import type { RandomBytes } from "../random";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;
const isLoopback = (host: string): boolean => LOOPBACK.test(host);
type Header = (name: string) => string | undefined;

/** Refuses other web pages in the user's browser, whatever name they have for this host. */
export function checkSource(listeningOn: string, header: Header): void {
  const host = header("host") ?? "";
  const origin = header("origin");
  const isForeign = origin !== undefined && URL.parse(origin)?.host !== host;
  // A page of another site can load an address without telling its origin, such as that of events.
  if (isForeign || /^(?:cross|same)-site$/.test(header("sec-fetch-site") ?? "")) {
    throw new ServiceError("forbidden", "requests from other web pages are not allowed");
  }
  if (isLoopback(listeningOn) && !isLoopback(host.replace(/:\d+$/, ""))) {
    throw new ServiceError("forbidden", `the host ${host} is not a loopback address`);
  }
}

/** Whether calls need an admin key: a twin has an account's names, which are not for everybody. */
export const needsKey = (service: Service, listeningOn: string): boolean =>
  !isLoopback(listeningOn) || service.identity.twinOf !== undefined;

/** Refuses any but a valid admin key used from `address`, as the service itself would. */
export function checkAdmin(
  service: Service,
  authorization: string | undefined,
  address: string,
): void {
  const caller = callerOf(service.identify, authorization);
  checkExpiry(caller, service.clock.nowMs());
  checkAddress(caller, address);
  if (caller.permissions.includes("admin")) return;
  throw new ServiceError("insufficient_permissions", "this requires an admin key", {
    required: ["admin"],
    provided: caller.permissions,
  });
}

/** Sessions that are kept; the oldest is closed first. */
const SESSIONS_MAX = 100;
const ID_BYTES = 24;

/** Keys by session. A key that is revoked ends its sessions, because it is checked on every call. */
export class Sessions {
  private readonly keys = new Map<string, string>();

  constructor(private readonly bytes: RandomBytes) {}

  /** Begins a session, by a cookie that no script can read and no other site sends. */
  open(context: Context, key: string, port: number): void {
    const id = Buffer.from(this.bytes(ID_BYTES)).toString("base64url");
    this.keys.set(id, key);
    const [oldest] = this.keys.keys();
    if (this.keys.size > SESSIONS_MAX && oldest !== undefined) this.keys.delete(oldest);
    setCookie(context, nameFor(port), id, { path: PATH, httpOnly: true, sameSite: "Strict" });
  }

  /** The key of the session that a request is in. */
  keyOf(context: Context, port: number): string | undefined {
    return this.keys.get(getCookie(context, nameFor(port)) ?? "");
  }

  close(context: Context, port: number): void {
    this.keys.delete(deleteCookie(context, nameFor(port), { path: PATH }) ?? "");
  }
}

const PATH = "/_emulator";

// Browsers send the cookies of a host to all of its ports, and two emulators may run on one.
const nameFor = (port: number): string => `erphost_session_${port}`;
