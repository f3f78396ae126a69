/**
 * Messages of Pulumi's provider and resource monitor protocols, as far as a component needs them.
 * Members typed `Buffer` are messages that are passed on as they are, or a `google.protobuf.Struct`.
 */
import { message, type RemoteMethod } from "../../../grpc";
import { empty } from "../messages";

const dependencies = message<{ readonly urns: readonly string[] }>({ urns: [1, "string", "list"] });

/** Options that the component's caller gave it, under one name in both protocols. */
interface Options {
  readonly providers: Readonly<Record<string, string>>;
  readonly dependencies: readonly string[];
  readonly additionalSecretOutputs: readonly string[];
  readonly ignoreChanges: readonly string[];
  readonly replaceOnChanges: readonly string[];
  readonly replace_with: readonly string[];
  readonly aliases: readonly Buffer[];
  readonly deletedWith: string;
  readonly replacement_trigger?: Buffer | undefined;
  readonly customTimeouts?: Buffer | undefined;
  /** Undefined is not false: then the parent's value holds. */
  readonly protect?: boolean | undefined;
  readonly retainOnDelete?: boolean | undefined;
  readonly deleteBeforeReplace?: boolean | undefined;
}

export interface ConstructRequest extends Options {
  readonly dryRun: boolean;
  /** Host and port. */
  readonly monitorEndpoint: string;
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  readonly inputs: Buffer;
  /** URNs that an input came from, by input. */
  readonly inputDependencies: Readonly<Record<string, { readonly urns: readonly string[] }>>;
  readonly resource_hooks?: Buffer;
}
export const constructRequest = message<ConstructRequest>({
  dryRun: [4, "bool"],
  monitorEndpoint: [6, "string"],
  type: [7, "string"],
  name: [8, "string"],
  parent: [9, "string"],
  inputs: [10, "bytes"],
  inputDependencies: [11, () => dependencies, "map"],
  protect: [12, "bool", "optional"],
  providers: [13, "string", "map"],
  dependencies: [15, "string", "list"],
  additionalSecretOutputs: [18, "string", "list"],
  customTimeouts: [19, "bytes", "optional"],
  deletedWith: [20, "string"],
  deleteBeforeReplace: [21, "bool", "optional"],
  ignoreChanges: [22, "string", "list"],
  replaceOnChanges: [23, "string", "list"],
  retainOnDelete: [24, "bool", "optional"],
  resource_hooks: [26, "bytes", "optional"],
  replace_with: [28, "string", "list"],
  aliases: [29, "bytes", "list"],
  replacement_trigger: [30, "bytes", "optional"],
});

export interface ConstructResponse {
  readonly urn: string;
  readonly state: Buffer;
}
export const constructResponse = message<ConstructResponse>({
  urn: [1, "string"],
  state: [2, "bytes"],
});

export interface RegisterRequest extends Partial<Options> {
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  /** False for a component. */
  readonly custom: boolean;
  readonly object?: Buffer;
  readonly provider?: string | undefined;
  readonly version?: string;
  readonly deleteBeforeReplaceDefined?: boolean;
  readonly acceptSecrets: boolean;
  readonly supportsPartialValues: boolean;
  readonly aliasSpecs?: boolean;
  readonly hooks?: Buffer | undefined;
}
const registerRequest = message<RegisterRequest>({
  type: [1, "string"],
  name: [2, "string"],
  parent: [3, "string"],
  custom: [4, "bool"],
  object: [5, "bytes", "optional"],
  protect: [6, "bool", "optional"],
  dependencies: [7, "string", "list"],
  provider: [8, "string"],
  deleteBeforeReplace: [10, "bool"],
  version: [11, "string"],
  ignoreChanges: [12, "string", "list"],
  acceptSecrets: [13, "bool"],
  additionalSecretOutputs: [14, "string", "list"],
  customTimeouts: [17, "bytes", "optional"],
  deleteBeforeReplaceDefined: [18, "bool"],
  supportsPartialValues: [19, "bool"],
  providers: [22, "string", "map"],
  replaceOnChanges: [23, "string", "list"],
  retainOnDelete: [25, "bool", "optional"],
  aliases: [26, "bytes", "list"],
  deletedWith: [27, "string"],
  aliasSpecs: [28, "bool"],
  hooks: [34, "bytes", "optional"],
  replace_with: [38, "string", "list"],
  replacement_trigger: [39, "bytes", "optional"],
});

export interface RegisterResponse {
  readonly urn: string;
  /** Empty in a preview. */
  readonly id: string;
  readonly object: Buffer;
}
const registerResponse = message<RegisterResponse>({
  urn: [1, "string"],
  id: [2, "string"],
  object: [3, "bytes"],
});

export interface OutputsRequest {
  readonly urn: string;
  readonly outputs: Buffer;
}
const outputsRequest = message<OutputsRequest>({
  urn: [1, "string"],
  outputs: [2, "bytes"],
});

export const registerResource: RemoteMethod<RegisterRequest, RegisterResponse> = {
  path: "/pulumirpc.ResourceMonitor/RegisterResource",
  request: registerRequest,
  answer: registerResponse,
};

export const registerOutputs: RemoteMethod<OutputsRequest, object> = {
  path: "/pulumirpc.ResourceMonitor/RegisterResourceOutputs",
  request: outputsRequest,
  answer: empty,
};
