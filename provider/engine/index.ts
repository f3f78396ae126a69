/** The engine room's entry. */
export { check } from "./plan/check";
export { differences, covers } from "./values/compare";
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
export type { BackupOrder } from "./verbs/backup-now";
export type { Intent, IntentEntry, Unread } from "./journal/entry";
export { isNear } from "./evidence/search";
export { secretsOf } from "./journal/signature";
export { Steps } from "./journal/steps";
export type { Processes } from "./journal/processes";
export { isReplayable } from "./service/time";
export { Intents } from "./journal/journal";
export type { Page } from "../client";
export type { Listed } from "./lookup/listed";
export { checkSelection } from "./lookup/check";
export type { Planning } from "./plan/planner";
export { plannedCreate } from "./plan/planned";
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
export { hasUnknown, isUnknown, UNKNOWN } from "./values/unknown";
export type * from "./types";
