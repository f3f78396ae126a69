/** The settings room: one table of what can be configured, which every face and page derives from. */
export { variableOf } from "../messages";
export { describeSetting, type Setting } from "./define";
export { issuesOfGiven, misspelledNames, readSettings, strangeNames } from "./read";
export type { GivenOf, ValuesOf } from "./read";
export { clientSettings, engineSettings, isLoopback, settings } from "./table";
