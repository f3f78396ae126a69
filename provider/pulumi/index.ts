/** `erphost/pulumi`: the service's resources and lookups for Pulumi programs in TypeScript. */
import "../start/node";
import "./peers";
export * from "./resources.gen";
export { inAccount, type AccountOptions, type ErpHostOptions } from "./accounts";
export { getAuth, type Auth, type LookupOptions } from "./lookups";
