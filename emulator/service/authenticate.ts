/** Who calls, and whether they may: token, expiry, address and scope (contract, part 5). */
import { allows, type debugHeaders } from "../../provider/contract";
import { ServiceError } from "../http/errors";
import { addressAllowed, plainAddress } from "../keys/allow-list";
import { expired, type Caller, type Identify } from "../keys/callers";
import { isoOf } from "../time/clock";
import type { Standing } from "./limits";

/** The key of an `Authorization` header; refuses with 401. */
export function callerOf(identify: Identify, header: string | undefined): Caller {
  if (header === undefined || header.trim() === "") {
    throw new ServiceError("authentication_required", "the request has no API key");
  }
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (token === undefined) {
    const message = "the Authorization header must be: Bearer <API_KEY>";
    throw new ServiceError("authentication_required", message);
  }
  return identify(token);
}

export function checkExpiry({ expiresMs }: Caller, nowMs: number): void {
  if (expiresMs !== undefined && expiresMs <= nowMs) throw expired(isoOf(expiresMs));
}

export function checkAddress({ allowList }: Caller, address: string): void {
  if (addressAllowed(address, allowList)) return;
  const extra = { your_ip: plainAddress(address), allowed_ips: allowList };
  throw new ServiceError("ip_not_allowed", "requests from this address are not allowed", extra);
}

export function checkScope({ permissions }: Caller, scope: string | undefined): void {
  if (scope === undefined || allows(permissions, scope)) return;
  const extra = { required: [scope], provided: permissions };
  throw new ServiceError("insufficient_permissions", `this requires the scope ${scope}`, extra);
}

type DebugHeader = keyof typeof debugHeaders;

/** Headers of a request with `X-Debug-Auth: true` (contract, part 4). */
export const debugHeadersOf = (
  caller: Caller,
  address: string,
  standing: Standing | undefined,
): Record<DebugHeader, string> => ({
  "X-Auth-Key-ID": caller.keyId,
  "X-Auth-Permissions": caller.permissions.join(","),
  // Assumption: Words of the debug headers.
  "X-Auth-IP-Check": addressAllowed(address, caller.allowList) ? "passed" : "failed",
  // Assumption: Keys without limits.
  "X-Auth-Rate-Limit": standing ? `${standing.remaining}/${standing.limit}` : "unlimited",
});
