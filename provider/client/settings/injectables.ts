/** What a core needs besides its configuration. */
import type { Dispatcher } from "undici";
import type { Clock } from "../clock";
import type { Hooks } from "../chain/observe";
import type { Transport } from "../chain/transport";

/** What entry points pass in, and tests replace. */
export interface Injectables {
  readonly clock: Clock;
  /** 0 up to 1. */
  readonly random: () => number;
  /** For idempotency keys; never the same twice. */
  readonly uuid: () => string;
  /** Default: a pool of the client's own, closed by `close`. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Default: undici over the dispatcher. */
  readonly transport?: Transport | undefined;
  readonly hooks?: Hooks | undefined;
  /** Ends every call. */
  readonly signal?: AbortSignal | undefined;
}
