/** What all parts of the emulated service share; built once, in core.ts. */
import type { Contract, TwinOf } from "../../provider/contract";
import type { Identify } from "../keys/callers";
import type { Keys } from "../keys/keys";
import type { EmulatorOptions } from "../options";
import type { Random, RandomBytes } from "../random";
import type { Database } from "../store/database";
import type { Changes } from "../store/changes";
import type { Objects } from "../store/objects";
import type { Timers } from "../store/timers";
import type { Clock, RealTime } from "../time/clock";
import type { Scheduler } from "../time/scheduler";
import type { Inventory } from "./inventory";
import type { Limits } from "./limits";
import type { Replays } from "./replays";

/** How this emulator was started; `EmulatorOptions` explains the members. */
export type ServiceSettings = Pick<EmulatorOptions, "limits"> & {
  readonly [N in "plan" | "keyClass" | "strict" | "genericAuthErrors" | "provisionMs"]: NonNullable<
    EmulatorOptions[N]
  >;
};

/** Whose service it is. Changes when the state is replaced by another one. */
export interface Identity {
  /** The account that the state is a copy of; undefined: it is nobody's. */
  twinOf: TwinOf | undefined;
  /** What `/auth/test` calls the account; undefined: nothing. */
  accountId: string | undefined;
}

export interface Service {
  readonly identity: Identity;
  readonly contract: Contract;
  readonly settings: ServiceSettings;
  readonly real: RealTime;
  readonly clock: Clock;
  readonly random: Random;
  readonly randomBytes: RandomBytes;
  readonly database: Database;
  readonly changes: Changes;
  readonly objects: Objects;
  readonly timers: Timers;
  readonly inventory: Inventory;
  readonly keys: Keys;
  readonly identify: Identify;
  readonly limits: Limits;
  readonly replays: Replays;
  readonly scheduler: Scheduler;
}
