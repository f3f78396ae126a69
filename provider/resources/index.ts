/** The resources room's entry: what programs declare and look up, and how they name it. */
export type { Kind, KindField } from "./define";
export * from "./inputs";
export { kinds, lookups, programPath } from "./kinds";
export * from "./scopes";
export * from "./selection";
