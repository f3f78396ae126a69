/** Who may use `/_emulator`: anybody on a loopback address, elsewhere only admin keys. */
import { ServiceError } from "../http/errors";
import { callerOf, checkExpiry } from "../service/authenticate";
import type { Service } from "../service/service";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** Refuses with 403 or, on other addresses, as the service itself would. */
export function checkControl(
  service: Service,
  listeningOn: string,
  header: (name: string) => string | undefined,
): void {
  const host = header("host") ?? "";
  const origin = header("origin");
  // Another web page in the user's browser must not get through, whatever name it has for this host.
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new ServiceError("forbidden", "requests from other web pages are not allowed");
  }
  if (isLoopback(listeningOn)) {
    if (isLoopback(host.replace(/:\d+$/, ""))) return;
    throw new ServiceError("forbidden", `the host ${host} is not a loopback address`);
  }
  const caller = callerOf(service.identify, header("authorization"));
  checkExpiry(caller, service.clock.nowMs());
  if (caller.permissions.includes("admin")) return;
  throw new ServiceError("insufficient_permissions", "this requires an admin key", {
    required: ["admin"],
    provided: caller.permissions,
  });
}
