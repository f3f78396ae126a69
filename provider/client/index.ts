/** The client room's entry: the core that the engine drives, its errors and its settings. */
export type { Account, CallOptions, FetchPage, Notice, Page, Reading, ReadOptions } from "./api";
export type { Rotated, Snapshot, SnapshotOptions, WriteOptions, WriteResult } from "./api";
export { ClientCore, type Core } from "./calls/writes";
export { pause } from "./cancellation";
export { callLine, type DebugAuth, type Hooks, type ResponseEvent } from "./chain/observe";
export { isUnreachable } from "./chain/fault";
export { TransportFault, type Transport, type WireRequest } from "./chain/transport";
export type { Clock } from "./clock";
export { ErpHostError, hasCode, isAuthenticationError, isErpHostError } from "./errors";
export { isPermissionError, type ErrorCode } from "./errors";
export { walkQuery } from "./lists/list";
export { isOnThisMachine } from "./settings/proxy";
export { readConfiguration, readContract, type Configuration, type Given } from "./settings/read";
export { readTextFile, systemInjectables, type EnvironmentVariables } from "./settings/system";
