/** What an emulator can be started with, and what holds where nothing is given. */
import type { KeyClassName, LimitWindow, PlanName } from "../provider/contract";
import type { Seed } from "./control/schema";
import type { RandomBytes } from "./random";
import type { RealTime } from "./time/clock";

export interface EmulatorOptions {
  /**
   * Address to listen on. Default 127.0.0.1; on any other than loopback `/_emulator` wants an
   * admin key.
   */
  readonly host?: string | undefined;
  /** Default 0: any free one. The command's default is 4010. */
  readonly port?: number | undefined;
  /**
   * SQLite file that holds the state; default: memory. Beside it `FILE.key` keeps webhook secrets
   * closed.
   */
  readonly dataFile?: string | undefined;
  /**
   * Whether every commit waits for the disk. Default false: a crash of the machine may lose the
   * latest, a crash of the process does not.
   */
  readonly durable?: boolean | undefined;
  /** Value of the first admin key, at least 16 characters. Default: a random one, in `adminKey`. */
  readonly adminKey?: string | undefined;
  /** Default `enterprise`: no limit. */
  readonly plan?: PlanName | undefined;
  /** Class of keys that name none. Default `unlimited`. */
  readonly keyClass?: KeyClassName | undefined;
  /** Windows in place of those of plan and class, for every key. */
  readonly limits?: readonly LimitWindow[] | undefined;
  /** Only documented operations. Default false. */
  readonly strict?: boolean | undefined;
  /** 401 and 403 with the generic pair of codes in form A. Default false. */
  readonly genericAuthErrors?: boolean | undefined;
  /** Milliseconds of the emulator's clock that a created object takes to be ready. Default 50. */
  readonly provisionMs?: number | undefined;
  /** Objects and keys to begin with, when the state is new and after each reset. */
  readonly seed?: Seed | undefined;
  /** Contract profile: the service then is what it describes. */
  readonly profile?: unknown;
  /** Seed of the faults' chance. Default 1. */
  readonly randomSeed?: number | undefined;
  /** Where time comes from; default: the machine. */
  readonly realTime?: RealTime | undefined;
  /** Where secrets come from; default: the operating system. */
  readonly randomBytes?: RandomBytes | undefined;
}

export const DEFAULTS = {
  host: "127.0.0.1",
  port: 0,
  plan: "enterprise",
  keyClass: "unlimited",
  provisionMs: 50,
  randomSeed: 1,
} as const;

/** The port of `erphost emulator`. */
export const COMMAND_PORT = 4010;

/** The shortest admin key that is taken from outside. */
export const ADMIN_KEY_LENGTH_MIN = 16;
