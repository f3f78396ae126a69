/** Sessions of the page: a random cookie that stands for an admin key, in memory alone. */
import type { RandomBytes } from "../random";

/** Sessions that are kept; the oldest is closed first. */
const SESSIONS_MAX = 100;
const ID_BYTES = 24;

/** Keys by session. A key that is revoked ends its sessions, because it is checked on every call. */
export class Sessions {
  private readonly keys = new Map<string, string>();

  constructor(private readonly bytes: RandomBytes) {}

  /** Begins a session; answers the cookie, which no script can read and no other site sends. */
  open(key: string, port: number): string {
    const id = Buffer.from(this.bytes(ID_BYTES)).toString("base64url");
    this.keys.set(id, key);
    const [oldest] = this.keys.keys();
    if (this.keys.size > SESSIONS_MAX && oldest !== undefined) this.keys.delete(oldest);
    return `${nameFor(port)}=${id}; ${ATTRIBUTES}`;
  }

  /** The key of a session, by the header `Cookie`. */
  keyOf(cookies: string | undefined, port: number): string | undefined {
    return this.keys.get(idIn(cookies, port) ?? "");
  }

  /** Ends a session; answers the cookie that removes it. */
  close(cookies: string | undefined, port: number): string {
    this.keys.delete(idIn(cookies, port) ?? "");
    return `${nameFor(port)}=; Max-Age=0; ${ATTRIBUTES}`;
  }
}

const ATTRIBUTES = "Path=/_emulator; HttpOnly; SameSite=Strict";

// Browsers send the cookies of a host to all of its ports, and two emulators may run on one.
const nameFor = (port: number): string => `erphost_session_${port}`;

const idIn = (cookies: string | undefined, port: number): string | undefined =>
  cookies
    ?.split(/;\s*/)
    .find((each) => each.startsWith(`${nameFor(port)}=`))
    ?.slice(nameFor(port).length + 1);
