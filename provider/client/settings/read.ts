/**
 * Everything that can be configured, read and checked in one place for the client, the faces and
 * the command line. Pure: the environment and the reading of files are passed in.
 */
import {
  DURATION_EXPECTED,
  durationMs,
  environments,
  InvalidInput,
  isRecord,
  LIMIT_EXPECTED,
  limitOf,
  parseApiKey,
  resolveContract,
  type Contract,
  type Environment,
  type InputIssue,
  type LimitWindow,
} from "../../contract";
import type { Account } from "../api";

/** What a program may give. What is left out comes from the environment, else has a default. */
export interface Given {
  /** `ERPHOST_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** `ERPHOST_BASE_URL`; ends in `/v1`. */
  readonly baseUrl?: string | undefined;
  /** `ERPHOST_ENVIRONMENT`; a key of the other kind is refused. */
  readonly environment?: string | undefined;
  /** `ERPHOST_PROFILE`: a contract profile as an object, as JSON, or as the path of a file. */
  readonly profile?: unknown;
  /** Windows of the key's quota, such as `{ requests: 100, windowMs: 60_000 }` or `"100/1m"`. */
  readonly limits?: readonly (LimitWindow | string)[] | undefined;
  /** Our part of the quota, above 0 up to 1; default 1. */
  readonly share?: number | undefined;
  /** `ERPHOST_TIMEOUT`: time for one attempt, 100 ms to 1 h; default 30 s. */
  readonly timeoutMs?: number | string | undefined;
  /** Calls at a time, 1 to 1,000; default 10. */
  readonly concurrency?: number | undefined;
  /** Asks for debug headers with every request; default false. */
  readonly debugAuth?: boolean | undefined;
  /** Proxy address, or false for none; default by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
  readonly proxy?: string | false | undefined;
  /** Certificates in PEM that are trusted as well; default the file `NODE_EXTRA_CA_CERTS` names. */
  readonly ca?: string | undefined;
  /** Put before the client's own user agent. */
  readonly userAgent?: string | undefined;
}

/** A configuration that has passed every check. Holds the key: never log it. */
export interface Configuration {
  readonly apiKey: string;
  readonly account: Account;
  readonly contract: Contract;
  readonly limits: readonly LimitWindow[];
  readonly share: number;
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly debugAuth: boolean;
  /** Address of the proxy that applies to the base address. */
  readonly proxy: string | undefined;
  readonly ca: string | undefined;
  readonly userAgent: string;
}

/** Variables of the environment, as `process.env` holds them. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface ConfigurationSources {
  readonly given?: Given;
  readonly env?: EnvironmentVariables;
  /** Text of a file; throws where it can't be read. Without it no file is read. */
  readonly readFile?: (path: string) => string;
}

const TIMEOUT_DEFAULT_MS = 30_000;
const TIMEOUT_MIN_MS = 100;
const TIMEOUT_MAX_MS = 3_600_000;
const CONCURRENCY_DEFAULT = 10;
const CONCURRENCY_MAX = 1_000;
const WINDOW_MAX_MS = 31 * 86_400_000;

/**
 * Reads and checks the whole configuration, before any call.
 * @throws InvalidInput with one sentence per fault; none repeats the key.
 */
export function readConfiguration(sources: ConfigurationSources): Configuration {
  const { given = {}, env = {} } = sources;
  const issues: InputIssue[] = [];
  const fault = (name: string, message: string): undefined => {
    issues.push({ path: [name], message });
    return undefined;
  };
  const reader: Reader = { given, env, readFile: sources.readFile, fault };
  const key = readKey(reader);
  const baseUrl = readBaseUrl(reader);
  const contract = readProfile(reader);
  const limits = readLimits(reader);
  const share = readShare(reader);
  const timeoutMs = readTimeout(reader);
  const concurrency = readConcurrency(reader);
  const proxy = baseUrl === undefined ? undefined : readProxy(reader, new URL(baseUrl));
  const ca = readCertificates(reader);
  const userAgent = readUserAgent(reader);
  if (issues.length > 0 || !key || baseUrl === undefined || !contract) {
    throw new InvalidInput("configuration", issues, "");
  }
  return {
    apiKey: key.apiKey,
    account: { baseUrl, environment: key.environment },
    contract,
    limits,
    share,
    timeoutMs,
    concurrency,
    debugAuth: given.debugAuth ?? false,
    proxy,
    ca,
    userAgent,
  };
}

interface Reader {
  readonly given: Given;
  readonly env: EnvironmentVariables;
  readonly readFile: ConfigurationSources["readFile"];
  readonly fault: (name: string, message: string) => undefined;
}

/** A variable that is empty counts as not set. */
const variable = (env: EnvironmentVariables, name: string): string | undefined =>
  env[name]?.trim() === "" ? undefined : env[name]?.trim();

function readKey({ given, env, fault }: Reader) {
  const text = (given.apiKey ?? variable(env, "ERPHOST_API_KEY"))?.trim();
  const wanted = given.environment ?? variable(env, "ERPHOST_ENVIRONMENT");
  const known = environments.find((name) => name === wanted);
  if (wanted !== undefined && !known) {
    fault("environment", "must be live or test (ERPHOST_ENVIRONMENT)");
  }
  if (text === undefined || text === "") {
    return fault("apiKey", "is missing: set ERPHOST_API_KEY, or give the key in the configuration");
  }
  const parts = parseApiKey(text);
  if (!parts) {
    return fault(
      "apiKey",
      "has not the form of a key, <prefix>_<live or test>_<identifier>: copy it again from the dashboard",
    );
  }
  const { environment } = parts;
  if (known && environment !== known) {
    return fault(
      "apiKey",
      `is a ${environment} key where a ${known} key is expected: use a key of the other kind, or change the environment (ERPHOST_ENVIRONMENT)`,
    );
  }
  return { apiKey: text, environment: environment satisfies Environment };
}

function readBaseUrl({ given, env, fault }: Reader): string | undefined {
  const text = (given.baseUrl ?? variable(env, "ERPHOST_BASE_URL"))?.trim();
  if (text === undefined || text === "") {
    return fault(
      "baseUrl",
      "is missing: set ERPHOST_BASE_URL to the service's address, which ends in /v1",
    );
  }
  // The text itself is not repeated before it is known to hold no credentials.
  if (!URL.canParse(text)) return fault("baseUrl", "is no address: give one as https://host/v1");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return fault("baseUrl", "must begin with https:// or http://");
  }
  if (url.username !== "" || url.password !== "") {
    return fault(
      "baseUrl",
      "must hold no user name or password: the key goes into ERPHOST_API_KEY",
    );
  }
  if (url.search !== "" || url.hash !== "") {
    return fault("baseUrl", "must hold no query and no fragment: it ends in /v1");
  }
  const path = url.pathname.replace(/\/+$/, "");
  if (!path.endsWith("/v1")) {
    return fault("baseUrl", `must end in the path segment /v1: ${url.origin}${path}/v1, perhaps`);
  }
  return `${url.origin}${path}`;
}

function readProfile(reader: Reader): Contract | undefined {
  const { given, env, fault } = reader;
  const profile = given.profile ?? variable(env, "ERPHOST_PROFILE");
  try {
    return resolveContract(typeof profile === "string" ? profileOf(profile, reader) : profile);
  } catch (error) {
    if (error instanceof InvalidInput) {
      for (const { path, message } of error.issues) {
        fault(["profile", ...path].join("."), message);
      }
      return undefined;
    }
    throw error;
  }
}

/** A profile from JSON, or from the file that a path names. */
function profileOf(text: string, { readFile }: Reader): unknown {
  const refuse = (message: string) =>
    new InvalidInput("profile", [{ path: [], message }], "See docs/contract.md.");
  let json = text;
  let place = "";
  if (!text.trimStart().startsWith("{")) {
    place = ` in ${text}`;
    try {
      if (!readFile) throw new Error("no file can be read here");
      json = readFile(text);
    } catch (error) {
      const code =
        isRecord(error) && typeof error["code"] === "string" ? ` (${error["code"]})` : "";
      throw refuse(`can't be read from ${text}${code}: give a path or JSON (ERPHOST_PROFILE)`);
    }
  }
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch {
    throw refuse(`is no JSON${place}: give an object as docs/contract.md describes it`);
  }
}

function readLimits({ given, fault }: Reader): LimitWindow[] {
  return (given.limits ?? []).flatMap((limit, index) => {
    const window = typeof limit === "string" ? limitOf(limit) : limit;
    const place = `limits[${index}]`;
    if (!window) {
      fault(place, LIMIT_EXPECTED);
      return [];
    }
    const { requests, windowMs } = window;
    if (!Number.isInteger(requests) || requests < 1) {
      fault(place, "must allow a whole number of requests, at least 1");
      return [];
    }
    if (!(windowMs >= 1) || windowMs > WINDOW_MAX_MS) {
      fault(place, "must have a window (windowMs) of 1 ms to 31 days");
      return [];
    }
    return [{ requests, windowMs }];
  });
}

function readShare({ given, fault }: Reader): number {
  const { share = 1 } = given;
  if (!(share > 0) || share > 1) fault("share", "must be above 0 and at most 1");
  return share;
}

function readTimeout({ given, env, fault }: Reader): number {
  const text = given.timeoutMs ?? variable(env, "ERPHOST_TIMEOUT");
  const ms = typeof text === "string" ? durationMs(text, "s") : (text ?? TIMEOUT_DEFAULT_MS);
  if (ms === undefined || !(ms >= TIMEOUT_MIN_MS) || ms > TIMEOUT_MAX_MS) {
    fault(
      "timeoutMs",
      `${DURATION_EXPECTED}, from 100ms to 1h, or plain seconds (ERPHOST_TIMEOUT)`,
    );
    return TIMEOUT_DEFAULT_MS;
  }
  return ms;
}

function readConcurrency({ given, fault }: Reader): number {
  const { concurrency = CONCURRENCY_DEFAULT } = given;
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > CONCURRENCY_MAX) {
    fault("concurrency", `must be a whole number from 1 to ${CONCURRENCY_MAX}`);
  }
  return concurrency;
}

function readProxy({ given, env, fault }: Reader, base: URL): string | undefined {
  if (given.proxy === false) return undefined;
  const named = (name: string) => variable(env, name.toLowerCase()) ?? variable(env, name);
  const name = base.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const bypassed = given.proxy === undefined && isBypassed(base, named("NO_PROXY") ?? "");
  const proxy = given.proxy ?? (bypassed ? undefined : named(name));
  if (proxy === undefined) return undefined;
  const address = proxy.includes("://") ? proxy : `http://${proxy}`;
  // Not repeated: a proxy's address may hold a password.
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    return fault("proxy", `must be an http:// or https:// address (${name})`);
  }
  return address;
}

/** Whether `NO_PROXY` names the host: itself, a domain above it, or `*`; a port may follow. */
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
      return name === "*" || host === name || host.endsWith(`.${name}`);
    });
}

function readCertificates({ given, env, readFile }: Reader): string | undefined {
  if (given.ca !== undefined) return given.ca;
  const path = variable(env, "NODE_EXTRA_CA_CERTS");
  if (path === undefined || !readFile) return undefined;
  try {
    return readFile(path);
  } catch {
    // Node has warned of it already, and goes on without as well.
    return undefined;
  }
}

function readUserAgent({ given, fault }: Reader): string {
  const { userAgent } = given;
  if (userAgent !== undefined && !/^[\x20-\x7e]{1,200}$/.test(userAgent)) {
    fault("userAgent", "must be 1 to 200 printable characters");
  }
  return userAgent === undefined ? "erphost" : `${userAgent} erphost`;
}
