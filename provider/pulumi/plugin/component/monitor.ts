/** Registering resources with the engine, as a component of any language does. */
import { credentials, type ServiceError } from "@grpc/grpc-js";
import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import {
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
  type RegisterResourceResponse,
} from "@pulumi/pulumi/proto/resource_pb";
import { PULUMI_UNKNOWN } from "../../values";
import { PACKAGE } from "../tokens";
import { packageVersion } from "../version";

export type Properties = Record<string, unknown>;

/** A registered resource; what a preview does not know is marked so. */
export interface Registered {
  readonly urn: string;
  readonly id: string;
  readonly outputs: Properties;
}

/** A resource of the component. */
export interface Child {
  readonly type: string;
  readonly name: string;
  /** As they came: secrets and unknowns are marked. */
  readonly inputs: Properties;
  /** URNs that the inputs came from. */
  readonly dependencies: readonly string[];
}

const asStruct = (values: Properties): Struct =>
  // What came as a Struct, and the ids of registered resources, which are text.
  Struct.fromJavaScript(values as Record<string, JavaScriptValue>);

/** The engine's side of one Construct call. */
export class Monitor {
  private readonly client: ResourceMonitorClient;

  constructor(
    private readonly request: ConstructRequest,
    private readonly provider: string | undefined,
  ) {
    this.client = new ResourceMonitorClient(
      request.getMonitorendpoint(),
      credentials.createInsecure(),
      { "grpc.max_receive_message_length": -1 },
    );
  }

  /**
   * The component itself, with the options of the call. Its resources get from it what Pulumi's
   * engine hands on to them: protect, retainOnDelete and deletedWith.
   */
  async component(type: string): Promise<Registered> {
    const { request } = this;
    const made = this.base(type, request.getName(), request.getParent(), []);
    made.setCustom(false);
    made.setAliasesList(request.getAliasesList());
    made.setAliasspecs(true);
    made.setAdditionalsecretoutputsList(request.getAdditionalsecretoutputsList());
    made.setIgnorechangesList(request.getIgnorechangesList());
    made.setReplaceonchangesList(request.getReplaceonchangesList());
    made.setReplaceWithList(request.getReplaceWithList());
    made.setReplacementTrigger(request.getReplacementTrigger());
    made.setDeletedwith(request.getDeletedwith());
    // Left open is not the same as refused: then it is the parent's.
    if (request.hasProtect()) made.setProtect(request.getProtect() ?? false);
    if (request.hasRetainondelete()) made.setRetainondelete(request.getRetainondelete() ?? false);
    const hooks = request.getResourceHooks()?.serializeBinary();
    // The same message under another name.
    const { ResourceHooksBinding } = RegisterResourceRequest;
    if (hooks) made.setHooks(ResourceHooksBinding.deserializeBinary(hooks));
    request.getProvidersMap().forEach((provider, name) => {
      made.getProvidersMap().set(name, provider);
    });
    return this.register(made);
  }

  async child(parent: Registered, child: Child): Promise<Registered> {
    const made = this.base(child.type, child.name, parent.urn, child.dependencies);
    made.setCustom(true);
    made.setObject(asStruct(child.inputs));
    made.setVersion(packageVersion);
    // Without one, Pulumi would start another process of this plugin for them.
    const provider = this.request.getProvidersMap().get(PACKAGE) ?? this.provider;
    if (provider !== undefined) made.setProvider(provider);
    return this.register(made);
  }

  async outputs(of: Registered, outputs: Properties): Promise<Struct> {
    const request = new RegisterResourceOutputsRequest();
    const struct = asStruct(outputs);
    request.setUrn(of.urn);
    request.setOutputs(struct);
    await called((done) => this.client.registerResourceOutputs(request, done));
    return struct;
  }

  close(): void {
    this.client.close();
  }

  /** What the component and its resources have in common. */
  private base(
    type: string,
    name: string,
    parent: string,
    dependencies: readonly string[],
  ): RegisterResourceRequest {
    const { request } = this;
    const made = new RegisterResourceRequest();
    made.setType(type);
    made.setName(name);
    made.setParent(parent);
    made.setDependenciesList([...new Set([...request.getDependenciesList(), ...dependencies])]);
    const timeouts = request.getCustomtimeouts()?.serializeBinary();
    const { CustomTimeouts } = RegisterResourceRequest;
    if (timeouts) made.setCustomtimeouts(CustomTimeouts.deserializeBinary(timeouts));
    if (request.hasDeletebeforereplace()) {
      made.setDeletebeforereplace(request.getDeletebeforereplace() ?? false);
      made.setDeletebeforereplacedefined(true);
    }
    made.setAcceptsecrets(true);
    made.setSupportspartialvalues(true);
    return made;
  }

  private async register(request: RegisterResourceRequest): Promise<Registered> {
    const response = await called<RegisterResourceResponse>((done) =>
      this.client.registerResource(request, done),
    );
    return {
      urn: response.getUrn(),
      id: response.getId() || PULUMI_UNKNOWN,
      outputs: response.getObject()?.toJavaScript() ?? {},
    };
  }
}

const called = <T>(call: (done: (error: ServiceError | null, answer: T) => void) => unknown) =>
  new Promise<T>((resolve, reject) => {
    call((error, answer) => {
      if (error) reject(error);
      else resolve(answer);
    });
  });
