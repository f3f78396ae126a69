/** Reads and checks the client's configuration. Pure: environment and files are passed in. */
import { InvalidInput, isRecord, issueAt, jsonOf, parseApiKey } from "../../contract";
import { resolveContract } from "../../contract";
import type { Contract, InputIssue, LimitWindow } from "../../contract";
import { clientSettings, type GivenOf, readSettings } from "../../settings";
import type { Account } from "../api";
import type { EnvironmentVariables } from "./system";
import { isPlainHttp, proxyVariable, readProxy } from "./proxy";

export type ClientSettings = GivenOf<typeof clientSettings>;

/**
 * What a program may give: the client's settings by their names, and what only programs give. What
 * is left out comes from the environment, or has a default.
 */
export interface Given extends ClientSettings {
  /** Rate limits of the key, such as `100/1m`; default: learned from the service. */
  readonly limits?: readonly (LimitWindow | string)[] | undefined;
  /** Asks for debug headers with every request; default false. */
  readonly debugAuth?: boolean | undefined;
  /** URL of a proxy, or false for none; default by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
  readonly proxy?: string | false | undefined;
  /** Certificates in PEM that are trusted besides Node's own and those of `NODE_EXTRA_CA_CERTS`. */
  readonly ca?: string | undefined;
  /** Put before the client's own user agent. */
  readonly userAgent?: string | undefined;
}

/** A configuration that has passed every check. Holds the key: never log it. @internal */
export interface Configuration {
  readonly apiKey: string;
  readonly account: Account;
  readonly contract: Contract;
  readonly limits: readonly LimitWindow[];
  readonly share: number;
  readonly timeoutMs: number;
  /** Longest wait that the service may ask for. */
  readonly waitMaxMs: number;
  readonly concurrency: number;
  readonly debugAuth: boolean;
  /** URL of the proxy that applies to the base address. */
  readonly proxy: string | undefined;
  readonly ca: string | undefined;
  readonly userAgent: string;
}

export interface ConfigurationSources {
  /** Settings as a program gives them, or as text; other members are ignored. */
  readonly given?: Given | Readonly<Record<string, unknown>>;
  readonly env?: EnvironmentVariables;
  /** Text of a file; throws where it can't be read. Without it no file is read. */
  readonly readFile?: (path: string) => string;
  /** Found before by whoever reads settings of its own: thrown along with those found here. */
  readonly issues?: readonly InputIssue[];
}

/**
 * Reads and checks the whole configuration, before any call.
 * @throws InvalidInput with one issue per fault; none repeats the key.
 * @internal
 */
export function readConfiguration(sources: ConfigurationSources): Configuration {
  const { env = {}, readFile } = sources;
  const given: Given = sources.given ?? {};
  const { values, issues: settingIssues } = readSettings(clientSettings, {
    given: { ...given },
    env,
  });
  const issues = [...settingIssues];
  const { apiKey, baseUrl, limits, share, concurrency } = values;
  const kind = apiKey === undefined ? undefined : parseApiKey(apiKey)?.environment;
  if (kind && values.environment && kind !== values.environment) {
    const parts = { is: kind, expected: values.environment };
    issues.push(issueAt(["apiKey"], "wrong_environment", parts));
  }
  const contract = readProfile(values.profile, readFile);
  if (Array.isArray(contract)) issues.push(...contract);
  const proxy = baseUrl && readProxy({ given: given.proxy, env }, new URL(baseUrl));
  if (baseUrl && proxy === null) {
    issues.push(issueAt(["proxy"], "invalid_proxy", { variable: proxyVariable(new URL(baseUrl)) }));
  }
  if (kind && baseUrl && proxy !== null && isPlainHttp(baseUrl, proxy)) {
    if (kind === "live") issues.push(issueAt(["baseUrl"], "live_key_over_http", {}));
    else if (!values.allowHttp) issues.push(issueAt(["baseUrl"], "http_not_allowed", {}));
  }
  const { userAgent } = given;
  if (userAgent !== undefined && !/^[\x20-\x7e]{1,200}$/.test(userAgent)) {
    issues.push(issueAt(["userAgent"], "invalid_user_agent", {}));
  }
  const all = [...issues, ...(sources.issues ?? [])];
  if (all.length > 0 || !apiKey || !baseUrl || !kind || Array.isArray(contract)) {
    throw new InvalidInput("configuration", all);
  }
  return {
    apiKey,
    account: { baseUrl, environment: kind },
    contract,
    limits,
    share,
    timeoutMs: values.timeout,
    waitMaxMs: values.waitMax,
    concurrency,
    debugAuth: given.debugAuth ?? false,
    proxy: proxy ?? undefined,
    ca: given.ca,
    userAgent: userAgent === undefined ? "erphost" : `${userAgent} erphost`,
  };
}

type ReadFile = ((path: string) => string) | undefined;

/** The same of the contract alone, which needs no key. @throws InvalidInput @internal */
export function readContract({ given = {}, env = {}, readFile }: ConfigurationSources): Contract {
  const { profile } = clientSettings;
  const { values } = readSettings({ profile }, { given: { ...given }, env });
  const contract = readProfile(values.profile, readFile);
  if (Array.isArray(contract)) throw new InvalidInput("configuration", contract);
  return contract;
}

/** The contract with the profile applied, or what is wrong with it, below `profile`. */
function readProfile(profile: unknown, readFile: ReadFile): Contract | InputIssue[] {
  try {
    return resolveContract(typeof profile === "string" ? fromText(profile, readFile) : profile);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.issues.map((issue) => ({ ...issue, path: ["profile", ...issue.path] }));
  }
}

/** A profile from JSON, or from the file that a path names. */
function fromText(text: string, readFile: ReadFile): unknown {
  const file = text.trimStart().startsWith("{") ? undefined : text;
  const profile = jsonOf(file === undefined ? text : contentOf(file, readFile));
  if (profile !== undefined) return profile;
  throw new InvalidInput("profile", [issueAt([], "profile_not_json", { file })]);
}

function contentOf(file: string, readFile: ReadFile): string {
  try {
    if (!readFile) throw new Error("No file can be read here.");
    return readFile(file);
  } catch (error) {
    const code = isRecord(error) ? error["code"] : undefined;
    const errorCode = typeof code === "string" ? code : undefined;
    throw new InvalidInput("profile", [issueAt([], "unreadable_profile", { file, errorCode })]);
  }
}
