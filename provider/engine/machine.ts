/** What all operations of the engine share: created once per process. */
import type { Core } from "../client/api";
import type { Clock } from "../client/clock";
import type { Declarations } from "./guards/declarations";
import type { IdGuard } from "./guards/ids";
import type { MassGuard } from "./guards/mass";
import type { RotatorGuard } from "./guards/rotators";
import type { ServiceTime } from "./intents/service-time";
import type { Intents } from "./intents/store";
import type { EngineOptions } from "./types";

export interface Machine {
  readonly core: Core;
  readonly clock: Clock;
  readonly options: EngineOptions;
  readonly intents: Intents;
  readonly ids: IdGuard;
  readonly time: ServiceTime;
  readonly mass: MassGuard;
  readonly rotators: RotatorGuard;
  readonly declarations: Declarations;
  /** Random, unguessable. */
  uuid(): string;
  nonce(): Buffer;
  /** The key in use, to seal intents under; follows a self-rotation. */
  apiKey: string;
}
