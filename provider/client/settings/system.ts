/** The process's own clock, randomness and files, for entry points to pass in. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Dispatcher } from "undici";
import type { Clock } from "../clock";
import type { Observers } from "../chain/observe";
import type { Transport } from "../chain/transport";

/** What entry points pass in, and tests replace. */
export interface Injectables extends Observers {
  readonly clock: Clock;
  /** 0 up to 1. */
  readonly random: () => number;
  /** For idempotency keys; never the same twice. */
  readonly uuid: () => string;
  /** Default: a pool of the client's own, closed by `close`. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Default: undici over the dispatcher. */
  readonly transport?: Transport | undefined;
  /** Ends every call. */
  readonly signal?: AbortSignal | undefined;
}

/** What `ClientCore` and `readConfiguration` are given outside tests. */
export const systemInjectables = (): Injectables => ({
  clock: {
    monotonicMs: () => performance.now(),
    wallMs: () => Date.now(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  },
  random: Math.random,
  uuid: () => randomUUID(),
});

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;
export const processVariables = (): EnvironmentVariables => process.env;
export const readTextFile = (path: string): string => readFileSync(path, "utf8");

const PROXIES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"];

/** The variables that say how the network is reached, and no other. */
export const networkVariables = (env: EnvironmentVariables): EnvironmentVariables =>
  Object.fromEntries(PROXIES.map((name) => [name, env[name]]));
