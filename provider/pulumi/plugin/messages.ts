/**
 * Messages of Pulumi's provider protocol, as far as this provider reads and writes them. Members
 * typed `Buffer` are `google.protobuf.Struct`, for `property-values.ts`. A test compares every field
 * with the message classes of Pulumi's own SDK.
 */
import { message } from "../../grpc";

export const empty = message<object>({});

export const handshakeResponse = message<{
  readonly accept_secrets: boolean;
  readonly supports_autonaming_configuration: boolean;
}>({ accept_secrets: [1, "bool"], supports_autonaming_configuration: [4, "bool"] });

export const pluginInfo = message<{ readonly version: string }>({ version: [1, "string"] });

export const schemaResponse = message<{ readonly schema: string }>({ schema: [1, "string"] });

/** How firmly Pulumi proposes a name; `disable` forbids generated names. */
export const autonamingModes = { propose: 0, enforce: 1, disable: 2 } as const;
export interface AutonamingOptions {
  readonly proposed_name: string;
  readonly mode: number;
}
const autonamingOptions = message<AutonamingOptions>({
  proposed_name: [1, "string"],
  mode: [2, "integer"],
});

export interface CheckRequest {
  readonly urn: string;
  readonly olds: Buffer;
  readonly news: Buffer;
  readonly random_seed: Buffer;
  readonly autonaming?: AutonamingOptions;
}
export const checkRequest = message<CheckRequest>({
  urn: [1, "string"],
  olds: [2, "bytes"],
  news: [3, "bytes"],
  random_seed: [5, "bytes"],
  autonaming: [8, () => autonamingOptions],
});

export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}
const checkFailure = message<CheckFailure>({ property: [1, "string"], reason: [2, "string"] });

export interface CheckResponse {
  readonly inputs: Buffer;
  readonly failures: readonly CheckFailure[];
}
export const checkResponse = message<CheckResponse>({
  inputs: [1, "bytes"],
  failures: [2, () => checkFailure, "list"],
});

export interface DiffRequest {
  readonly id: string;
  readonly urn: string;
  readonly olds: Buffer;
  readonly news: Buffer;
}
export const diffRequest = message<DiffRequest>({
  id: [1, "string"],
  urn: [2, "string"],
  olds: [3, "bytes"],
  news: [4, "bytes"],
});

export const differs = { none: 1, some: 2 } as const;
/** Each change on its own, and as one that forces replacement. */
export const diffKinds = { add: [0, 1], delete: [2, 3], update: [4, 5] } as const;
export interface PropertyDiff {
  readonly kind: number;
}
const propertyDiff = message<PropertyDiff>({ kind: [1, "integer"] });

export interface DiffResponse {
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
  readonly changes: number;
  readonly diffs: readonly string[];
  /** By path. */
  readonly detailedDiff: Readonly<Record<string, PropertyDiff>>;
  readonly hasDetailedDiff: boolean;
}
export const diffResponse = message<DiffResponse>({
  replaces: [1, "string", "list"],
  deleteBeforeReplace: [3, "bool"],
  changes: [4, "integer"],
  diffs: [5, "string", "list"],
  detailedDiff: [6, () => propertyDiff, "map"],
  hasDetailedDiff: [7, "bool"],
});

export interface ConfigureRequest {
  readonly args: Buffer;
  /** Id and URN of the provider itself. */
  readonly id: string;
  readonly urn: string;
}
export const configureRequest = message<ConfigureRequest>({
  args: [2, "bytes"],
  id: [7, "string"],
  urn: [8, "string"],
});

export interface ConfigureResponse {
  readonly acceptSecrets: boolean;
  readonly supportsPreview: boolean;
  readonly supports_autonaming_configuration: boolean;
}
export const configureResponse = message<ConfigureResponse>({
  acceptSecrets: [1, "bool"],
  supportsPreview: [2, "bool"],
  supports_autonaming_configuration: [5, "bool"],
});

export interface InvokeRequest {
  readonly tok: string;
  readonly args: Buffer;
}
export const invokeRequest = message<InvokeRequest>({ tok: [1, "string"], args: [2, "bytes"] });

export interface InvokeResponse {
  readonly return?: Buffer;
  readonly failures?: readonly CheckFailure[];
}
export const invokeResponse = message<InvokeResponse>({
  return: [1, "bytes"],
  failures: [2, () => checkFailure, "list"],
});

export interface CreateRequest {
  readonly urn: string;
  readonly properties: Buffer;
  /** Seconds; 0 is none. */
  readonly timeout: number;
  readonly preview: boolean;
}
export const createRequest = message<CreateRequest>({
  urn: [1, "string"],
  properties: [2, "bytes"],
  timeout: [3, "double"],
  preview: [4, "bool"],
});
export interface CreateResponse {
  readonly id?: string;
  readonly properties: Buffer;
}
export const createResponse = message<CreateResponse>({
  id: [1, "string"],
  properties: [2, "bytes"],
});

export interface ReadRequest {
  readonly id: string;
  readonly urn: string;
  readonly properties: Buffer;
  readonly inputs: Buffer;
  readonly timeout: number;
}
export const readRequest = message<ReadRequest>({
  id: [1, "string"],
  urn: [2, "string"],
  properties: [3, "bytes"],
  inputs: [4, "bytes"],
  timeout: [10, "double"],
});
/** Without an id, the object no longer exists. */
export interface ReadResponse {
  readonly id?: string;
  readonly properties?: Buffer;
  readonly inputs?: Buffer;
}
export const readResponse = message<ReadResponse>({
  id: [1, "string"],
  properties: [2, "bytes"],
  inputs: [3, "bytes"],
});

export interface UpdateRequest {
  readonly id: string;
  readonly urn: string;
  readonly olds: Buffer;
  readonly news: Buffer;
  readonly timeout: number;
  readonly preview: boolean;
}
export const updateRequest = message<UpdateRequest>({
  id: [1, "string"],
  urn: [2, "string"],
  olds: [3, "bytes"],
  news: [4, "bytes"],
  timeout: [5, "double"],
  preview: [7, "bool"],
});
export interface UpdateResponse {
  readonly properties: Buffer;
}
export const updateResponse = message<UpdateResponse>({ properties: [1, "bytes"] });

export interface DeleteRequest {
  readonly id: string;
  readonly urn: string;
  readonly properties: Buffer;
  readonly timeout: number;
}
export const deleteRequest = message<DeleteRequest>({
  id: [1, "string"],
  urn: [2, "string"],
  properties: [3, "bytes"],
  timeout: [4, "double"],
});

/** Reports a resource that exists but is not as it should be. */
export const resourceInitFailed = message<{
  readonly id: string;
  readonly properties: Buffer;
  readonly reasons: readonly string[];
  readonly inputs: Buffer;
}>({
  id: [1, "string"],
  properties: [2, "bytes"],
  reasons: [3, "string", "list"],
  inputs: [4, "bytes"],
});

export const severities = { debug: 0, info: 1, warning: 2, error: 3 } as const;
/** Of the engine's own protocol. */
export interface LogRequest {
  readonly severity: number;
  readonly message: string;
  readonly urn: string;
  readonly ephemeral: boolean;
}
export const logRequest = message<LogRequest>({
  severity: [1, "integer"],
  message: [2, "string"],
  urn: [3, "string"],
  ephemeral: [5, "bool"],
});

const any = message<{ readonly type_url: string; readonly value: Buffer }>({
  type_url: [1, "string"],
  value: [2, "bytes"],
});
/** `google.rpc.Status` */
export const statusDetails = message<{
  readonly code: number;
  readonly message: string;
  readonly details: readonly { readonly type_url: string; readonly value: Buffer }[];
}>({ code: [1, "integer"], message: [2, "string"], details: [3, () => any, "list"] });
