/** What an emulator can be started with, and the defaults. */
import type { KeyClassName, LimitWindow, PlanName } from "../provider/contract";
import type { Seed } from "./control/schema";
import type { RandomBytes } from "./random";
import type { RealTime } from "./time/clock";
import type { Twin, TwinKey } from "./twin/schema";

export interface EmulatorOptions {
  /**
   * Address to listen on. Default 127.0.0.1; on any but a loopback address, `/_emulator` requires
   * an admin key.
   */
  readonly host?: string | undefined;
  /** Default 0: any free port. The default of the command is 4010. */
  readonly port?: number | undefined;
  /**
   * SQLite file for the state; default: memory. One emulator at a time can have it open. The key
   * that encrypts the secrets in it is in `FILE.key`. Both are readable by their owner only.
   */
  readonly dataFile?: string | undefined;
  /**
   * Whether every commit waits for the disk. Default false: a crash of the machine may lose the
   * latest changes; a crash of the process does not.
   */
  readonly durable?: boolean | undefined;
  /**
   * Value of the first admin key: the form of an API key, at least 16 characters. The keys that it
   * creates are of its environment. Default: that of the last run on `dataFile`, else random.
   */
  readonly adminKey?: string | undefined;
  /** Default `enterprise`: no limit. */
  readonly plan?: PlanName | undefined;
  /** Class of keys that do not name one. Default `unlimited`. */
  readonly keyClass?: KeyClassName | undefined;
  /** Windows for every key, which replace those of plan and class. */
  readonly limits?: readonly LimitWindow[] | undefined;
  /** Serves documented operations only. Default false. */
  readonly strict?: boolean | undefined;
  /** Answers 401 and 403 with the two generic codes, in form A. Default false. */
  readonly genericAuthErrors?: boolean | undefined;
  /** Milliseconds, by the emulator's clock, until a new object is ready. Default 50. */
  readonly provisionMs?: number | undefined;
  /** Initial objects and keys, for a new state and after each reset: all of them or none. */
  readonly seed?: Seed | undefined;
  /** Contract profile that describes the service to emulate. */
  readonly profile?: unknown;
  /**
   * The copy of an account that a new state holds, and again after each reset. The emulator then says
   * on every answer whose twin it is; its keys have secrets of their own, and new objects ids that the
   * account would not give. Default: a plain emulator, or what the data file says.
   */
  readonly twin?: Twin | undefined;
  /** What `/auth/test` calls the account. Default: that of the twin; else nothing. */
  readonly accountId?: string | undefined;
  /** Seed for the random choices of faults. Default 1. */
  readonly randomSeed?: number | undefined;
  /** Where time comes from; default: the machine. */
  readonly realTime?: RealTime | undefined;
  /** Where secrets come from; default: the operating system. */
  readonly randomBytes?: RandomBytes | undefined;
  /**
   * Receives what the person who runs the emulator should know: a seed that is not applied, a timer
   * that fails. Default: a warning of the process.
   */
  readonly warn?: ((sentence: string) => void) | undefined;
}

/** What became of a seed: planted in a new state, or left alone in one that exists. */
export type SeedFate = "none" | "planted" | "kept" | "changed";

/** Where the first admin key comes from: an option, an earlier run, or this one. */
export type AdminKeyOrigin = "given" | "kept" | "new";

/** What a start found. */
export interface Opened {
  /** Undefined: the state is in memory. */
  readonly dataFile: string | undefined;
  readonly isNew: boolean;
  /** Keys are objects as well. */
  readonly objectCount: number;
  readonly seed: SeedFate;
  readonly adminKey: AdminKeyOrigin;
  /** Keys of the account with the secrets that they were given here. They are shown nowhere else. */
  readonly twinKeys: readonly TwinKey[];
}

export const DEFAULTS = {
  host: "127.0.0.1",
  port: 0,
  plan: "enterprise",
  keyClass: "unlimited",
  provisionMs: 50,
  randomSeed: 1,
} as const;

export const COMMAND_PORT = 4010;

/** So that rate headers show: the contract leaves the enterprise plan's burst open (part 8). */
export const COMMAND_LIMITS: readonly LimitWindow[] = [{ requests: 10_000, windowMs: 60_000 }];
