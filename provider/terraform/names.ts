/** Names that this face adds to the definitions'. Loaded at start, so nothing is imported here. */

/** Prefix of every type name, and the provider's own. */
export const PROVIDER = "erphost";
/** Attributes of every resource; a definition can't have fields of these names. */
export const IDENTITY = "idempotency_token";
export const TIMEOUTS = "timeouts";
/** What the path of each call begins with. */
export const SERVICE = "/tfplugin6.Provider/";
/** Calls whose answers are the same in every run. */
export const SCHEMA_CALLS = [
  "GetProviderSchema",
  "GetResourceIdentitySchemas",
  "GetMetadata",
  "GetFunctions",
] as const;
