/** The entry of `erphost`: the typed client of the service. */
import "./start/node";
export {
  callLine,
  ErpHostError,
  hasCode,
  isAuthenticationError,
  isErpHostError,
  isPermissionError,
  readConfiguration,
  readContract,
  TransportFault,
  type Account,
  type CallOptions,
  type Clock,
  type Configuration,
  type DebugAuth,
  type EnvironmentVariables,
  type ErrorCode,
  type Given,
  type Hooks,
  type Notice,
  type ResponseEvent,
  type SnapshotOptions,
  type Transport,
  type WireRequest,
  type WriteOptions,
} from "./client";
export type { Collection, CreatedCollection, KeyCollection } from "./client/people/collection";
export type { ListedCollection } from "./client/people/collection";
export type { Listing, ListPage } from "./client/people/listing";
export { ErpHost } from "./client/people/erphost";
export type { Auth, Collections, ErpHostOptions, RotatedKey } from "./client/people/erphost";
export { InvalidInput } from "./contract";
export type { Environment, LimitWindow, ListOptions, Profile, ResourceName } from "./contract";
export type * from "./client/people/collections.gen";
