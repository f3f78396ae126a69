/** What the client is asked and what it answers, in contract names. */
import type { Environment, Meta, OddRecord, Pagination, Rotation } from "../contract";
import type { ServiceRecord } from "../contract";
import { plainVoice, sentence, type Message } from "../messages";
import type { ErpHostError } from "./errors";

export const noticeOf = (kind: Notice["kind"], data: Message, waitMs?: number): Notice => ({
  kind,
  message: sentence(plainVoice, data),
  data,
  ...(waitMs !== undefined && { waitMs }),
});

/** Which account a state belongs to. */
export interface Account {
  /** Ends in `/v1`, no trailing slash. */
  readonly baseUrl: string;
  readonly environment: Environment;
}

/** Shown to the person who waits; never holds a secret. */
export interface Notice {
  readonly kind: "rate-limit" | "retry" | "absence" | "odd-record";
  /** One sentence, in the client's own names. */
  readonly message: string;
  /** The same as data, for those who show it in names of their own. */
  readonly data: Message;
  readonly waitMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Ends the call, unless something of it was sent and not refused: then it is finished first. */
  readonly stop?: AbortSignal;
  /** Milliseconds from now after which the call fails; time at the quota gate counts. */
  readonly timeoutMs?: number;
  readonly onNotice?: (notice: Notice) => void;
}

export interface WriteOptions extends CallOptions {
  /** Of a POST, the same on every retry. Default: a random one per call. Others carry none. */
  readonly idempotencyKey?: string;
}

/** A record that a write answered, and how. */
export interface WriteResult {
  readonly record: ServiceRecord;
  readonly meta: Meta | undefined;
  /** The service replayed an earlier answer to the same idempotency key. */
  readonly replayed: boolean;
  /** An earlier attempt of this very call may have done it, and its answer was lost. */
  readonly leftOpen: boolean;
}

export interface Rotated {
  readonly rotation: Rotation;
  readonly replayed: boolean;
}

/** What reading one object came to. `gone` is proved by two clean walks, never concluded from an error. */
export type Reading =
  | {
      readonly state: "present";
      readonly record: ServiceRecord;
      /** The service's own time of the page, ISO 8601, where it gave one. */
      readonly serviceTime: string | undefined;
    }
  | { readonly state: "gone"; readonly serviceTime: string | undefined };

/** One complete list, as of some moment. */
export interface Snapshot {
  readonly records: ReadonlyMap<string, ServiceRecord>;
  /** Why some may be missing; `unproved_absence` where nothing shows it. */
  readonly gap: () => ErpHostError | undefined;
  /** Monotonic milliseconds at which the first page was asked for. */
  readonly begunAt: number;
  readonly serviceTime: string | undefined;
}

export interface SnapshotOptions extends CallOptions {
  /** A shared walk at most this old will do; default 0 joins only one that is under way or begins now. */
  readonly maxAgeMs?: number;
  /** One that begins now: a walk under way may have passed what it is asked for. Default false. */
  readonly isNew?: boolean;
}

export interface ReadOptions extends SnapshotOptions {
  /**
   * True: the object is expected to be gone, so that the proof begins at once. Default: a shared
   * walk is asked first, and the proof begins where that does not show the object. Either way
   * `gone` is proved.
   */
  readonly expectGone?: boolean;
  /** When the object was created, where that is known: proves more in a list that changes. */
  readonly createdAt?: string | undefined;
}

/** One page of a list, its records decoded. */
export interface Page {
  readonly number: number;
  readonly records: readonly ServiceRecord[];
  readonly odd: readonly OddRecord[];
  /** Items on it, odd ones included. */
  readonly size: number;
  /** Undefined where the service gave none. */
  readonly pagination: Pagination | undefined;
  /** The service's own time, ISO 8601, where it gave one. */
  readonly serviceTime: string | undefined;
}

export type FetchPage = (number: number, perPage: number) => Promise<Page>;

/** Query parameters of a list, names as on the wire. */
export type Query = Readonly<Record<string, string>>;
