/** The entry of `erphost`: the typed client of the service. */
export type { Account, CallOptions, Notice, WriteOptions } from "./client/api";
export type { Clock } from "./client/clock";
export type { Collection, ListInput, Listing, ListPage } from "./client/people/collection";
export {
  readConfiguration,
  type Configuration,
  type EnvironmentVariables,
  type Given,
} from "./client/settings/read";
export {
  ErpHost,
  type Auth,
  type Collections,
  type ErpHostOptions,
  type RotatedKey,
} from "./client/people/erphost";
export {
  ErpHostError,
  hasCode,
  isAuthenticationError,
  isErpHostError,
  isPermissionError,
  type ErrorCode,
} from "./client/errors";
export type {
  DebugAuth,
  Hooks,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from "./client/chain/observe";
export { TransportFault, type Transport, type WireRequest } from "./client/chain/transport";
export {
  InvalidInput,
  type CreateInput,
  type Environment,
  type Item,
  type LimitWindow,
  type Profile,
  type ResourceName,
  type Resources,
  type UpdateInput,
} from "./contract";
