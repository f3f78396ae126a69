/** Registers resources with Pulumi's engine, as a component of any language does. */
import { decodeStruct, encodeStruct, GrpcClient, type RemoteMethod } from "../../../grpc";
import { PULUMI_UNKNOWN } from "../../values";
import { PACKAGE } from "../values/tokens";
import { packageVersion } from "../version";
import { empty, outputsRequest, registerRequest, registerResponse } from "../messages.gen";
import type { ConstructRequest, OutputsRequest, RegisterRequest } from "../messages.gen";
import type { RegisterResponse } from "../messages.gen";

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

export type Properties = Record<string, unknown>;

/** A registered resource. Values that a preview does not know are marked as unknown. */
export interface Registered {
  readonly urn: string;
  readonly id: string;
  readonly outputs: Properties;
}

export interface Child {
  readonly type: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, Given>>;
}

/** As it came, with its secrets and unknowns marked; and the URNs that it came from. */
export type Given = readonly [value: unknown, urns: readonly string[]];

/** The engine's side of one Construct call. */
export class Monitor {
  private readonly client: GrpcClient;

  /** @param provider reference of this very provider */
  constructor(
    private readonly request: ConstructRequest,
    private readonly provider: string | undefined,
  ) {
    this.client = new GrpcClient(request.monitorEndpoint);
  }

  /**
   * The component itself, with the options of the call. Pulumi's engine passes protect,
   * retainOnDelete and deletedWith on to its resources.
   */
  component(type: string): Promise<Registered> {
    const { request } = this;
    return this.register({
      ...this.base([]),
      type,
      name: request.name,
      parent: request.parent,
      custom: false,
      aliases: request.aliases,
      aliasSpecs: true,
      additionalSecretOutputs: request.additionalSecretOutputs,
      ignoreChanges: request.ignoreChanges,
      replaceOnChanges: request.replaceOnChanges,
      replace_with: request.replace_with,
      replacement_trigger: request.replacement_trigger,
      deletedWith: request.deletedWith,
      protect: request.protect,
      retainOnDelete: request.retainOnDelete,
      // The same message under another name.
      hooks: request.resource_hooks,
      providers: request.providers,
    });
  }

  child(parent: Registered, { type, name, inputs }: Child): Promise<Registered> {
    const each = <T>(of: (given: Given) => T): Record<string, T> =>
      Object.fromEntries(Object.entries(inputs).map(([input, given]) => [input, of(given)]));
    return this.register({
      ...this.base(Object.values(inputs).flatMap(([, urns]) => urns)),
      // Otherwise each would come from all: Pulumi replaces what comes from what it deletes first.
      propertyDependencies: each(([, urns]) => ({ urns })),
      type,
      name,
      parent: parent.urn,
      custom: true,
      object: encodeStruct(each(([value]) => value)),
      version: packageVersion,
      // Without one, Pulumi would start another process of this plugin for them.
      provider: this.request.providers[PACKAGE] ?? this.provider,
    });
  }

  /** @returns the outputs as the engine received them */
  async outputs(of: Registered, outputs: Properties): Promise<Buffer> {
    const struct = encodeStruct(outputs);
    await this.client.call(registerOutputs, { urn: of.urn, outputs: struct });
    return struct;
  }

  close(): void {
    this.client.close();
  }

  /** What the component and its resources have in common. */
  private base(dependencies: readonly string[]) {
    const { request } = this;
    const { deleteBeforeReplace } = request;
    return {
      dependencies: [...new Set([...request.dependencies, ...dependencies])],
      customTimeouts: request.customTimeouts,
      ...(deleteBeforeReplace !== undefined && {
        deleteBeforeReplace,
        deleteBeforeReplaceDefined: true,
      }),
      acceptSecrets: true,
      supportsPartialValues: true,
    };
  }

  private async register(request: RegisterRequest): Promise<Registered> {
    // Not limited in time: the engine answers when the resource exists, which can take hours.
    const { urn, id, object } = await this.client.call(registerResource, request);
    return { urn, id: id || PULUMI_UNKNOWN, outputs: decodeStruct(object) };
  }
}
