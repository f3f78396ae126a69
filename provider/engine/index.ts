export { changesOf, diff, isRetried } from "./plan/diff";
export { plannedNames } from "./plan/names";
export { plannedRights, type Planned } from "./plan/rights";
export { checkDeclared, type Planning, type Seen, type Shown } from "./plan/seen";
export { covers, differences } from "./values/compare";
export { Engine, type EngineParts } from "./engine";
export { engineError, EngineError, isRepeated, PartialFailure, reasonOf } from "./errors";
export { sharedFault } from "./errors";
export type { BackupOrder } from "./verbs/backup";
export type { Intent, IntentEntry, Unread } from "./journal/entry";
export { isNear, mayHaveMade } from "./evidence/search";
export { Folder } from "./journal/files";
export type { Processes } from "./journal/processes";
export { isReplayable } from "./values/time";
export { Journal } from "./journal/journal";
export type { Page } from "../client";
export type { Listed } from "./lookup/listed";
export { plannedCreate, plannedDelete, plannedUpdate } from "./plan/planned";
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
export type * from "./types";
