/** The plans room's entry: what engines' plans say of erphost's objects, for people and policies. */
export { valueText, withoutSuspects, type Hide } from "./fields";
export { needsOf, pacesOf } from "./needs";
export { marked, placed } from "./object";
export { ACTIONS, changesAnything, HIDDEN, UNKNOWN_VALUE } from "./plan";
export type { FieldChange, Plan, PlannedObject } from "./plan";
export { protectionsLost, withMarks, type PreviewStep } from "./pulumi";
export { parsePlan, readPlan } from "./read";
export { RISKS, risksOf } from "./risks";
export { addressOf, triggerOf, type ActionInvocation, type ResourceChange } from "./terraform";
