/** The engine room's entry. */
export { check } from "./check";
export { differences, covers } from "./compare";
export { Engine, type EngineParts } from "./engine";
export { EngineError, issueText, PartialFailure } from "./errors";
export { Intents, type Intent, type IntentEntry, type Processes } from "./intents";
export { isNear } from "./near";
export { filtersOf } from "./lookup";
export { plannedCreate } from "./plan";
export { intentsRoot, openEngine, type OpenOptions, type Surroundings } from "./open";
export { secretNames } from "./reconcile";
export { hasUnknown, isUnknown, UNKNOWN } from "./unknown";
export type * from "./types";
