/**
 * Aspects: one line that applies to a whole app or stack. They run before validation. The library
 * itself invokes those of stacks and of what is in them; `checks/watch.ts` adds those of an app.
 */
export { ProtectFromDeletion } from "./protect-from-deletion";
export { SetProperties, type KindWithProperties } from "./set-properties";
