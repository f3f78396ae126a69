/** The resources room's entry: what programs declare and look up, and how they name it. */
export type { Kind, KindField } from "./define";
export { declaredInputs } from "./inputs";
export { kinds, lookups } from "./kinds";
export { programPath } from "./program-path";
export {
  BAGS,
  isRotating,
  isSent,
  listOf,
  neededFor,
  readScope,
  rotates,
  scopesWhileDeclared,
  type Needed,
  type PlannedAction,
  type PlannedUpdate,
} from "./scopes";
export { LIMIT, MOST_RECENT, selectorsOf, type LookupForm, type Selector } from "./selection";
