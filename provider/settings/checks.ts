/** What makes an API key and a base address valid. */
import { parseApiKey } from "../contract";
import { message, type Message } from "../messages";
import type { Reading } from "./define";

const refused = (fault: Message): Reading<never> => ({ fault });

/** A key of the contract's form. No message repeats it. */
export const checkedKey = (given: string): Reading<string> =>
  parseApiKey(given) ? { value: given } : refused(message("malformed_key", {}));

/** An address that ends in `/v1`, without a slash after it. */
export function checkedAddress(given: string): Reading<string> {
  // The text itself is not repeated before it is known to hold no credentials.
  if (!URL.canParse(given)) return refused(message("not_a_url", {}));
  const url = new URL(given);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return refused(message("not_http", {}));
  }
  if (url.username !== "" || url.password !== "") {
    return refused(message("credentials_in_url", {}));
  }
  if (url.search !== "" || url.hash !== "") return refused(message("query_in_url", {}));
  const path = url.pathname.replace(/\/+$/, "");
  return path.endsWith("/v1")
    ? { value: `${url.origin}${path}` }
    : refused(message("no_version_in_url", { meant: `${url.origin}${meantPath(path)}` }));
}

/** Whether a host is this machine. */
export const isLoopback = (host: string): boolean =>
  /^(?:(?:.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);

/** An address of another version, or of something below it, means the one above with `/v1`. */
const meantPath = (path: string): string => `${/^(.*?)\/v\d+(?:\/|$)/.exec(path)?.[1] ?? path}/v1`;
