/** The gRPC server that Pulumi's engine calls. */
import type { ServerHttp2Session } from "node:http2";
import { createGrpcServer, type GrpcOptions } from "../../grpc";

export interface Serving {
  readonly port: number;
  close(): void;
}

/** Listens on the loopback address, on any free port. */
export async function serve(methods: GrpcOptions["methods"]): Promise<Serving> {
  const server = createGrpcServer({
    methods,
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
