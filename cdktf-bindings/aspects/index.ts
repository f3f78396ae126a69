/**
 * Aspects: one line that applies to a whole app or stack. They run before validation. The library
 * itself invokes those of stacks and of what is in them; `checks/watch.ts` adds those of an app.
 */
export { MaxKeyAge } from "./max-key-age";
export { NoAdminKeys } from "./no-admin-keys";
export type { PolicyOptions } from "./policy";
export { NoWideKeys } from "./no-wide-keys";
export { ProtectFromDeletion } from "./protect-from-deletion";
export { RequireBackup, type BackedUpBy, type RequireBackupOptions } from "./require-backup";
export { SetProperties, type KindWithProperties } from "./set-properties";
