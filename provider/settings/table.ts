/**
 * Every setting of the provider, once: `npm run generate` and the faces derive the rest. A new one
 * is one entry here.
 */
import { environments, parseApiKey } from "../contract";
import { choice, duration, flag, ids, integer, limits, number, raw, requiredText } from "./define";
import { text } from "./define";
import type { Reading, Setting } from "./define";
import { message, type Message } from "../messages";

const refused = (fault: Message): Reading<never> => ({ fault });

/** A key of the contract's form. No message repeats it. */
const checkedKey = (given: string): Reading<string> =>
  parseApiKey(given) ? { value: given } : refused(message("malformed_key", {}));

/** An address that ends in `/v1`, without a slash after it. */
function checkedAddress(given: string): Reading<string> {
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

export const isLoopback = (host: string): boolean =>
  /^(?:(?:.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);

/** An address of another version, or of something below it, means the one above with `/v1`. */
const meantPath = (path: string): string => `${/^(.*?)\/v\d+(?:\/|$)/.exec(path)?.[1] ?? path}/v1`;

export const clientSettings = {
  apiKey: requiredText({
    doc: "API key of the account.",
    secret: true,
    check: checkedKey,
    example: "acme_test_4f9c2b7d",
    perAccount: true,
  }),
  baseUrl: requiredText({
    doc: "Address of the service, which ends in `/v1`.",
    check: checkedAddress,
    example: "https://erp.example/v1",
    perAccount: true,
  }),
  allowHttp: flag({
    doc: "Allows an http address on another machine, where anyone on the way can read the key. Test keys only.",
    example: "true",
    perAccount: true,
  }),
  environment: choice({
    doc: "Kind of key that is expected. A key of the other kind is refused before any call.",
    values: environments,
    fallback: undefined,
    example: "test",
  }),
  profile: raw({
    doc: "Contract profile for a service that differs from what is assumed: JSON, or the path of a file.",
    example: "./profile.json",
  }),
  timeout: duration({
    doc: "Time limit for one attempt of a call.",
    least: "100ms",
    most: "1h",
    fallback: "30s",
    example: "60s",
    perRun: true,
  }),
  waitMax: duration({
    doc: "Longest wait that the service may ask for. A call that would have to wait longer fails with what the service said; waiting for the next window of the quota, which is announced, may take an hour in any case, and pauses that follow each other two.",
    least: "1s",
    most: "24h",
    fallback: "15m",
    example: "1h",
  }),
  limits: limits({
    doc: "Rate limits of the key, as a list.",
    fallbackText: "learned from the service",
    example: "100/1m",
    perAccount: true,
  }),
  share: number({
    doc: "Share of the key's quota that this run may use. With all of it, people and other runs that use the same key are refused while it lasts.",
    above: 0,
    most: 1,
    fallback: 1,
    example: "0.5",
    perAccount: true,
    perRun: true,
  }),
  concurrency: integer({
    doc: "Number of calls in flight at a time.",
    least: 1,
    most: 1_000,
    fallback: 10,
    example: "20",
  }),
};

/** Settings of runs that manage objects. */
export const engineSettings = {
  sameName: choice({
    doc: "What a create does where an unmanaged object already has the same name.",
    values: ["warn", "error", "allow"],
    fallback: "warn",
    example: "error",
  }),
  preflight: choice({
    doc: "What a plan does where its key may not do what is planned, by what the service says of the key in one call. `off` makes no such call: for plans with a key that may only read.",
    values: ["error", "warn", "off"],
    fallback: "warn",
    example: "error",
  }),
  allowMassGone: flag({
    doc: "Accepts that many objects have vanished from the service at once.",
    example: "true",
    perAccount: true,
    perRun: true,
  }),
  allowDelete: ids({
    doc: "Ids of objects that may be deleted although their state protects them, for objects that no change reaches any more. It takes effect in the run that it is set for.",
    fallbackText: "none",
    example: "srv_1",
    perAccount: true,
    perRun: true,
  }),
  formerBaseUrl: text({
    doc: "Address that the service had before. A run with this setting writes the new one into every state that has the former one, and changes nothing in the service. For one run.",
    check: checkedAddress,
    example: "https://old.erp.example/v1",
    perAccount: true,
    perRun: true,
  }),
  twinOf: text({
    doc: "Address of the account that this run rehearses for: it works on a twin of it on this machine, as `erphost emulator --from` starts one, with a copy of the state.",
    check: checkedAddress,
    example: "https://erp.example/v1",
    perAccount: true,
    perRun: true,
  }),
  scope: text({
    doc: "Names the state that a run writes, such as the repository and the workspace. Creates then have idempotency keys that every machine derives alike, so that a run on another machine finds what an interrupted one created. Names must be unique within a kind where nothing else identifies an object.",
    fallbackText: "none: idempotency keys are random",
    neverBlank: true,
    example: "github.com/acme/infra/prod",
  }),
  resume: flag({
    doc: "The last run was cut off, and its machine is gone: takes over what it created for the same scope. For one run.",
    example: "true",
    perRun: true,
  }),
  intentsDir: text({
    doc: "Folder of intents, the notes by which a run finds what an interrupted one created.",
    fallbackText: "a folder below the user's state folder",
    example: "./.erphost",
    perRun: true,
  }),
};

/** All settings, in the order of documentation. */
export const settings = { ...clientSettings, ...engineSettings } satisfies Readonly<
  Record<string, Setting>
>;
