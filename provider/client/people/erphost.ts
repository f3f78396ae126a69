/** The client for people: typed collections over the core. */
import type { Dispatcher } from "undici";
import { authView, InvalidInput, issueAt, parseApiKey } from "../../contract";
import type { AuthView, ResourceName } from "../../contract";
import type { Account, CallOptions } from "../api";
import type { DebugAuth, Hooks } from "../chain/observe";
import type { Transport } from "../chain/transport";
import type { Clock } from "../clock";
import { ClientCore } from "../calls/writes";
import { clientSettings } from "../../settings";
import { networkVariables, processVariables, readTextFile } from "../settings/system";
import { systemInjectables } from "../settings/system";
import type { Injectables, EnvironmentVariables } from "../settings/system";
import { isPlainHttp } from "../settings/proxy";
import { readConfiguration, type Given } from "../settings/read";
import { collectionOf } from "./collection";
import { checkNames, checkOptions } from "./input";
import { Collections } from "./collections.gen";

export { Collections } from "./collections.gen";
export type { RotatedKey } from "./collection";

/** Options of a client. `apiKey` and `baseUrl` are required; the rest has defaults. */
export interface ErpHostOptions extends Given {
  /** Ends every call. */
  readonly signal?: AbortSignal | undefined;
  readonly hooks?: Hooks | undefined;
  /**
   * Environment variables to read. Default: only those of the process that say how to reach the
   * network (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`).
   */
  readonly env?: EnvironmentVariables | undefined;
  readonly clock?: Clock | undefined;
  /** 0 up to 1. */
  readonly random?: (() => number) | undefined;
  /** Your own undici dispatcher, which `close` does not close. */
  readonly dispatcher?: Dispatcher | undefined;
  readonly transport?: Transport | undefined;
}

/** What `GET /auth/test` answers (contract, part 4). */
export interface Auth extends AuthView {
  /** With `debugAuth` only. */
  readonly debug: DebugAuth | undefined;
}

interface AuthCalls {
  /** Asks the service what the key is and may do. */
  test(options?: CallOptions): Promise<Auth>;
}

/**
 * The client of one account.
 * @example
 * const erphost = new ErpHost({ apiKey, baseUrl: "https://api.example.com/v1" });
 * for await (const server of erphost.servers.list({ status: "running" })) console.log(server.name);
 */
export class ErpHost extends Collections {
  readonly account: Account;
  readonly auth: AuthCalls;
  // Private names, because printing a client must not show its configuration.
  readonly #core: ClientCore;
  readonly #isPlainHttp: boolean;
  readonly #collections = new Map<ResourceName, unknown>();

  /** @throws InvalidInput with one issue per fault, before any call. */
  constructor(options: ErpHostOptions) {
    super();
    checkNames("ErpHost", options, optionNames);
    const { env = networkVariables(processVariables()) } = options;
    const configuration = readConfiguration({ given: options, env, readFile: readTextFile });
    const core = new ClientCore(configuration, injectablesOf(options));
    this.#core = core;
    this.#isPlainHttp = isPlainHttp(core.account.baseUrl, configuration.proxy);
    this.account = core.account;
    this.auth = {
      test: async (call) => {
        checkOptions("auth.test", call);
        const tested = await core.authTest(call);
        return { ...authView(tested), debug: tested.debug };
      },
    };
  }

  /**
   * Uses another key from now on, for retries too.
   * @throws InvalidInput if it is not an API key, or a live key that would travel unencrypted.
   */
  readonly useKey = (apiKey: string): void => {
    const parts = parseApiKey(apiKey);
    if (!parts) throw new InvalidInput("useKey", [issueAt(["apiKey"], "malformed_key", {})]);
    if (parts.environment === "live" && this.#isPlainHttp) {
      throw new InvalidInput("useKey", [issueAt(["baseUrl"], "live_key_over_http", {})]);
    }
    this.#core.useKey(apiKey);
  };

  /** Closes the connections; later calls fail with `closed`. */
  readonly close = (): Promise<void> => this.#core.close();

  /** The same at the end of a block: `await using erphost = new ErpHost({ … })`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected override collection<C>(kind: ResourceName): C {
    const known = this.#collections.get(kind) ?? collectionOf(this.#core, kind);
    this.#collections.set(kind, known);
    // Its getter says which.
    return known as C;
  }
}

/** Every option there is; the compiler finds one that is missing here. */
const optionNames = Object.keys({
  ...clientSettings,
  debugAuth: 0,
  proxy: 0,
  ca: 0,
  userAgent: 0,
  signal: 0,
  hooks: 0,
  env: 0,
  clock: 0,
  random: 0,
  dispatcher: 0,
  transport: 0,
} satisfies Record<keyof ErpHostOptions, unknown>);

function injectablesOf(options: ErpHostOptions): Injectables {
  const { uuid, ...system } = systemInjectables();
  const { hooks, signal, dispatcher, transport } = options;
  const { clock = system.clock, random = system.random } = options;
  return { clock, random, uuid, hooks, signal, dispatcher, transport };
}
