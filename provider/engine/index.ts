/** The engine room's entry. */
export { check } from "./planning/check";
export { differences, covers } from "./planning/compare";
export { Engine } from "./engine";
export type { EngineParts } from "./parts";
export {
  engineError,
  EngineError,
  isRepeated,
  PartialFailure,
  reasonOf,
  sharedFault,
} from "./errors";
export type { BackupOrder } from "./lifecycle/backup-now";
export type { Intent, IntentEntry } from "./intents/entry";
export { isNear } from "./intents/match";
export { secretsOf } from "./intents/disk/signature";
export { Steps } from "./intents/disk/steps";
export type { Processes } from "./intents/processes";
export { isReplayable } from "./intents/service-time";
export { Intents } from "./intents/store";
export type { Page } from "../client";
export type { Listed } from "./lookup/listed";
export { checkSelection } from "./lookup/check";
export type { Planning } from "./planning/planner";
export { plannedCreate } from "./planning/planned";
export {
  faultsOfGiven,
  intentsRoot,
  openEngine,
  openPlanner,
  /** @public Loaded by name, where a command needs it. */
  readUserKey,
  type OpenOptions,
  type Surroundings,
} from "./open";
export { hasUnknown, isUnknown, UNKNOWN } from "./planning/unknown";
export type * from "./types";
