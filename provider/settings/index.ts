/** The settings room: one table of what can be configured, which every face and page derives from. */
export type { Setting } from "./define";
export { variableOf } from "../messages";
export { describeSetting } from "./describe";
export { issuesOfGiven, readSettings, type GivenOf, type ValuesOf } from "./read";
export { clientSettings, engineSettings, settings } from "./table";
