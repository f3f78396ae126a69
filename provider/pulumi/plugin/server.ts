/** The gRPC server that Pulumi's engine calls. */
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { createGrpcServer, type GrpcOptions } from "../../grpc";
import type { Peer } from "./peer";

export interface Serving {
  readonly port: number;
  close(): void;
}

/**
 * Listens on the loopback address, on any free port.
 * @param accepts whether a peer may call; any other is disconnected before it is read
 */
export async function serve(
  methods: GrpcOptions["methods"],
  accepts: (peer: Peer) => boolean,
): Promise<Serving> {
  const server = createGrpcServer({
    methods,
    held: new Set(),
    onFault: () => undefined, // Every failure is an answer.
  });
  server.on("connection", (socket: Socket) => {
    if (!accepts(socket)) socket.destroy();
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
