/** `erphost/pulumi`: the service's resources and lookups for Pulumi programs in TypeScript. */
import "../start/node";
import "./peers";
export * from "./resources.gen";
export { getAuth, type Auth } from "./lookups";
