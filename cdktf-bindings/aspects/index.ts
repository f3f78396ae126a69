/** Aspects run before validation. The library invokes a stack's, `checks/watch.ts` an app's. */
export { MaxKeyAge } from "./max-key-age";
export { NoAdminKeys } from "./no-admin-keys";
export type { PolicyOptions } from "./policy";
export { NoWideKeys } from "./no-wide-keys";
export { ProtectFromDeletion } from "./protect-from-deletion";
export { RequireBackup, type BackedUpBy, type RequireBackupOptions } from "./require-backup";
export { SetProperties, type KindWithProperties } from "./set-properties";
