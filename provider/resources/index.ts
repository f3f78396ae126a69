/** The resources room's entry: what programs declare and look up, and how they name it. */
export type { Kind, KindField } from "./define";
export {
  BAGS,
  check,
  declaredInputs,
  hasUnknown,
  isSent,
  present,
  UNKNOWN,
  type Checked,
} from "./inputs";
export { kinds, lookups, programPath } from "./kinds";
export {
  isRotating,
  listOf,
  neededFor,
  readScope,
  rotates,
  scopesWhileDeclared,
  type Needed,
  type PlannedAction,
  type PlannedUpdate,
} from "./scopes";
export {
  checkSelection,
  LIMIT,
  MOST_RECENT,
  selected,
  selectionOf,
  selectorsOf,
  type LookupForm,
  type Selection,
  type Selector,
} from "./selection";
