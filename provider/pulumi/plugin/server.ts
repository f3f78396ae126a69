/** The gRPC service that Pulumi's engine calls, over the methods in the files beside it. */
import {
  Server,
  ServerCredentials,
  status,
  type handleUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  GetMappingResponse,
  GetMappingsResponse,
  GetSchemaResponse,
  ProviderHandshakeResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { check } from "./check";
import { checkConfig, configure, diffConfig } from "./config";
import { construct } from "./component/construct";
import { diff } from "./diff";
import { make, statusOf } from "./failures";
import { invoke } from "./invoke";
import { create, read, remove, update } from "./lifecycle";
import type { Session } from "./session";

/** What the service itself answers beside the session. */
export interface About {
  readonly version: string;
  /** As JSON; made when it is asked for. */
  readonly schema: () => string;
}

/** A handler that answers with a promise; errors become gRPC statuses. */
const answering =
  <Request, Response>(
    handle: (request: Request) => Response | Promise<Response>,
  ): handleUnaryCall<Request, Response> =>
  (call, callback: sendUnaryData<Response>) => {
    Promise.resolve(call.request)
      .then(handle)
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(statusOf(error)),
      );
  };

const unimplemented = (name: string) =>
  answering(() => {
    throw make(status.UNIMPLEMENTED, `${name} is not offered by this provider.`);
  });

/** Every method of the service. */
function methodsOf(session: Session, about: About) {
  return {
    handshake: answering(() => {
      const response = new ProviderHandshakeResponse();
      response.setAcceptSecrets(true);
      response.setSupportsAutonamingConfiguration(true);
      return response;
    }),
    getPluginInfo: answering(() => {
      const info = new PluginInfo();
      info.setVersion(about.version);
      return info;
    }),
    getSchema: answering(() => {
      const response = new GetSchemaResponse();
      response.setSchema(about.schema());
      return response;
    }),
    getMapping: answering(() => new GetMappingResponse()),
    getMappings: answering(() => new GetMappingsResponse()),
    checkConfig: answering((request: Parameters<typeof checkConfig>[1]) =>
      checkConfig(session, request),
    ),
    diffConfig: answering(diffConfig),
    configure: answering((request: Parameters<typeof configure>[1]) => configure(session, request)),
    check: answering((request: Parameters<typeof check>[1]) => check(session, request)),
    diff: answering((request: Parameters<typeof diff>[1]) => diff(session, request)),
    create: answering((request: Parameters<typeof create>[1]) => create(session, request)),
    read: answering((request: Parameters<typeof read>[1]) => read(session, request)),
    update: answering((request: Parameters<typeof update>[1]) => update(session, request)),
    delete: answering(async (request: Parameters<typeof remove>[1]) => {
      await remove(session, request);
      return new Empty();
    }),
    invoke: answering((request: Parameters<typeof invoke>[1]) => invoke(session, request)),
    cancel: answering(() => {
      // Not awaited: Pulumi wants its answer now, and waits for what was begun itself.
      void session.stop();
      return new Empty();
    }),
    attach: answering(() => new Empty()),
    parameterize: unimplemented("Parameterize"),
    call: unimplemented("Call"),
    construct: answering(construct),
  };
}

export interface Serving {
  readonly port: number;
  close(): void;
}

/** Listens on the loopback address, on any free port. */
export async function serve(session: Session, about: About): Promise<Serving> {
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  // The service is typed for handlers of each message; ours are, by the methods they call.
  server.addService(ResourceProviderService, methodsOf(session, about));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  return { port, close: () => server.forceShutdown() };
}
