/** The engine room's entry. */
export { check } from "./planning/check";
export { differences, covers } from "./planning/compare";
export { Engine, type EngineParts } from "./engine";
export { EngineError, issueText, PartialFailure } from "./errors";
export { Intents, type Intent, type IntentEntry, type Processes } from "./intents/store";
export { isNear } from "./intents/match";
export { isReplayable } from "./intents/service-time";
export { filtersOf } from "./lifecycle/lookup";
export { plannedCreate } from "./planning/planned";
export { intentsRoot, openEngine, type OpenOptions, type Surroundings } from "./open";
export { secretNames } from "./lifecycle/reconcile";
export { hasUnknown, isUnknown, UNKNOWN } from "./planning/unknown";
export type * from "./types";
