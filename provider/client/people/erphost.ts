/** The client for people: typed collections over the core. */
import type { Dispatcher } from "undici";
import {
  camel,
  InvalidInput,
  issueAt,
  parseApiKey,
  resources,
  type Camel,
  type ResourceName,
  type Resources,
} from "../../contract";
import type { Account, CallOptions, WriteOptions } from "../api";
import type { Clock } from "../clock";
import { collectionOf, type AnyCollection, type Collection } from "./collection";
import {
  readConfiguration,
  type ConfigurationSources,
  type EnvironmentVariables,
  type Given,
} from "../settings/read";
import { createCore, type ClientCore } from "../core";
import type { DebugAuth, Hooks } from "../chain/observe";
import {
  networkVariables,
  processVariables,
  readTextFile,
  systemInjectables,
} from "../settings/system";
import type { Transport } from "../chain/transport";

/** What a client is made of. `apiKey` and `baseUrl` must be there; the rest has defaults. */
export interface ErpHostOptions extends Given {
  /** Ends every call. */
  readonly signal?: AbortSignal | undefined;
  readonly hooks?: Hooks | undefined;
  /**
   * Variables that are honoured. Default: those of the process that say how to reach the network
   * (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`, `NODE_EXTRA_CA_CERTS`), and no other.
   */
  readonly env?: EnvironmentVariables | undefined;
  readonly clock?: Clock | undefined;
  /** 0 up to 1. */
  readonly random?: (() => number) | undefined;
  /** An undici dispatcher of one's own; it is not closed by `close`. */
  readonly dispatcher?: Dispatcher | undefined;
  readonly transport?: Transport | undefined;
}

/** What `GET /auth/test` answers (contract, part 4). */
export interface Auth {
  readonly authenticated: boolean;
  readonly keyId: string;
  readonly permissions: readonly string[];
  readonly rateLimit:
    | { readonly limit: number; readonly remaining: number; readonly reset: string | number }
    | undefined;
  /** With `debugAuth` only. */
  readonly debug: DebugAuth | undefined;
}

/** What a rotation answers (contract, part 4). */
export interface RotatedKey {
  /** The key that was rotated works until `expiresAt`. */
  readonly oldKey: { readonly id: string; readonly expiresAt: string };
  /** `value` is the secret, shown this once. */
  readonly newKey: { readonly id: string; readonly value: string; readonly createdAt: string };
}

interface Rotating {
  /** Answers the new secret once. The old key works on until its grace period ends. */
  rotate(id: string, options?: WriteOptions): Promise<RotatedKey>;
}

/** A collection per resource of the contract, under its plural: `servers`, `apiKeys`. */
export type Collections = {
  readonly [K in ResourceName as Camel<Resources[K]["plural"]>]: Collection<Resources[K]> &
    (K extends "api_key" ? Rotating : unknown);
};

/** A client of one account. */
export interface ErpHost extends Collections {
  readonly account: Account;
  readonly auth: {
    /** Asks the service what it makes of the key. */
    test(options?: CallOptions): Promise<Auth>;
  };
  /**
   * Goes on with another key from now on, retries included.
   * @throws InvalidInput where it has not the form of a key.
   */
  useKey(apiKey: string): void;
  /** Ends connections; calls after it fail with `closed`. */
  close(): Promise<void>;
}

interface ErpHostConstructor {
  /** @throws InvalidInput with one sentence per fault, before any call. */
  new (options: ErpHostOptions): ErpHost;
  /**
   * Reads the settings from the environment (`ERPHOST_API_KEY` and so on); options win.
   * @throws InvalidInput with one sentence per fault, before any call.
   */
  fromEnvironment(env?: EnvironmentVariables, options?: ErpHostOptions): ErpHost;
}

/**
 * The client of the service.
 * @example
 * const erphost = new ErpHost({ apiKey, baseUrl: "https://api.example.com/v1" });
 * for await (const server of erphost.servers.list({ status: "running" })) console.log(server.name);
 */
export const ErpHost: ErpHostConstructor = class {
  constructor(options: ErpHostOptions) {
    const { env = networkVariables(processVariables()) } = options;
    Object.assign(this, open(options, { given: options, env, readFile: readTextFile }));
  }

  static fromEnvironment(
    env: EnvironmentVariables = processVariables(),
    options: ErpHostOptions = {},
  ): ErpHost {
    return new ErpHost({ ...options, env });
  }
  // The constructor puts on what `open` makes; the class itself shows none of it.
} as unknown as ErpHostConstructor;

function open(options: ErpHostOptions, sources: ConfigurationSources): ErpHost {
  const system = systemInjectables();
  const core = createCore(readConfiguration(sources), {
    clock: options.clock ?? system.clock,
    random: options.random ?? system.random,
    uuid: system.uuid,
    hooks: options.hooks,
    signal: options.signal,
    dispatcher: options.dispatcher,
    transport: options.transport,
  });
  return {
    ...collectionsOf(core),
    account: core.account,
    auth: { test: (call) => authOf(core, call) },
    useKey: (apiKey) => core.useKey(checkedKey(apiKey)),
    close: () => core.close(),
  };
}

function checkedKey(apiKey: string): string {
  if (parseApiKey(apiKey)) return apiKey;
  throw new InvalidInput("useKey", [issueAt(["apiKey"], "malformed_key", {})]);
}

function collectionsOf(core: ClientCore): Collections {
  // The keys of `resources` are its names; TypeScript types them as strings.
  const kinds = Object.keys(resources) as ResourceName[];
  const made: Record<string, AnyCollection & Partial<Rotating>> = {};
  for (const kind of kinds) {
    const collection: AnyCollection & Partial<Rotating> = collectionOf(core, kind);
    if (kind === "api_key") collection.rotate = (id, options) => rotate(core, id, options);
    made[camel(resources[kind].plural)] = collection;
  }
  // Made from the very table that the type is derived from, and checked by `types.test.ts`.
  return made as unknown as Collections;
}

async function authOf(core: ClientCore, options: CallOptions | undefined): Promise<Auth> {
  const { authenticated, key_id, permissions, rate_limit, debug } = await core.authTest(options);
  return {
    authenticated,
    keyId: key_id,
    permissions,
    rateLimit: rate_limit && {
      limit: rate_limit.limit,
      remaining: rate_limit.remaining,
      reset: rate_limit.reset,
    },
    debug,
  };
}

async function rotate(
  core: ClientCore,
  id: string,
  options: WriteOptions | undefined,
): Promise<RotatedKey> {
  const { old_key, new_key } = (await core.rotate(id, options)).rotation;
  return {
    oldKey: { id: old_key.id, expiresAt: old_key.expires_at },
    newKey: { id: new_key.id, value: new_key.value, createdAt: new_key.created_at },
  };
}
