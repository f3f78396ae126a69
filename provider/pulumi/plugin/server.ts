/** The gRPC service that Pulumi's engine calls, over the methods in the files beside it. */
import type { ServerHttp2Session } from "node:http2";
import {
  createGrpcServer,
  decodeMessage,
  encodeMessage,
  type Message,
  type Unary,
} from "../../grpc";
import { check } from "./methods/check";
import { construct } from "./component/construct";
import { constructRequest, constructResponse } from "./component/messages";
import { checkConfig, configure, diffConfig } from "./methods/config";
import { diff } from "./methods/diff";
import { callFailure } from "./failures";
import { invoke } from "./methods/invoke";
import { create, read, remove, update } from "./methods/lifecycle";
import * as m from "./messages";
import type { Session } from "./session";

/** What the service answers by itself, without the session. */
export interface About {
  readonly version: string;
  /** As JSON; rendered on request. */
  readonly schema: () => string;
}

const SERVICE = "/pulumirpc.ResourceProvider/";

const unary =
  <Q, A>(request: Message<Q>, answer: Message<A>, run: (request: Q) => A | Promise<A>): Unary =>
  async (bytes) => {
    const asked = decodeMessage(request, bytes);
    try {
      return encodeMessage(answer, await run(asked));
    } catch (error) {
      throw callFailure(error);
    }
  };

const nothing = unary(m.empty, m.empty, () => ({}));

/** Methods by name. Any other is answered as unimplemented. */
export const methodsOf = (session: Session, about: About): Readonly<Record<string, Unary>> => ({
  Handshake: unary(m.empty, m.handshakeResponse, () => ({
    accept_secrets: true,
    supports_autonaming_configuration: true,
  })),
  GetPluginInfo: unary(m.empty, m.pluginInfo, () => ({ version: about.version })),
  GetSchema: unary(m.empty, m.schemaResponse, () => ({ schema: about.schema() })),
  GetMapping: nothing,
  GetMappings: nothing,
  Attach: nothing,
  CheckConfig: unary(m.checkRequest, m.checkResponse, (request) => checkConfig(session, request)),
  DiffConfig: unary(m.diffRequest, m.diffResponse, diffConfig),
  Configure: unary(m.configureRequest, m.configureResponse, (request) =>
    configure(session, request),
  ),
  Check: unary(m.checkRequest, m.checkResponse, (request) => check(session, request)),
  Diff: unary(m.diffRequest, m.diffResponse, (request) => diff(session, request)),
  Create: unary(m.createRequest, m.createResponse, (request) => create(session, request)),
  Read: unary(m.readRequest, m.readResponse, (request) => read(session, request)),
  Update: unary(m.updateRequest, m.updateResponse, (request) => update(session, request)),
  Delete: unary(m.deleteRequest, m.empty, async (request) => {
    await remove(session, request);
    return {};
  }),
  Invoke: unary(m.invokeRequest, m.invokeResponse, (request) => invoke(session, request)),
  Construct: unary(constructRequest, constructResponse, (request) =>
    construct(request, session.reference),
  ),
  Cancel: unary(m.empty, m.empty, () => {
    // Not awaited: Pulumi expects its answer at once, and waits for running operations itself.
    void session.stop();
    return {};
  }),
});

export interface Serving {
  readonly port: number;
  close(): void;
}

/** Listens on the loopback address, on any free port. */
export async function serve(session: Session, about: About): Promise<Serving> {
  const methods = Object.entries(methodsOf(session, about));
  const server = createGrpcServer({
    methods: new Map(methods.map(([name, method]) => [`${SERVICE}${name}`, method])),
    held: new Set(),
    onFault: () => undefined, // Every failure is an answer.
  });
  const connections = new Set<ServerHttp2Session>();
  server.on("session", (connection) => {
    connections.add(connection);
    connection.on("close", () => connections.delete(connection));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? bound.port : 0,
    close: () => {
      server.close();
      for (const connection of connections) connection.destroy();
    },
  };
}
