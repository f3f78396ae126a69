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
 * @param log takes one line about the first peer that may not, for whoever wonders why a run hangs
 */
export async function serve(
  methods: GrpcOptions["methods"],
  accepts: (peer: Peer) => boolean,
  log: (line: string) => void = () => undefined,
): Promise<Serving> {
  const server = createGrpcServer({
    methods,
    held: new Set(),
    onFault: () => undefined, // Every failure is an answer.
  });
  let isTold = false;
  server.on("connection", (socket: Socket) => {
    if (accepts(socket)) return;
    const { remotePort } = socket;
    socket.destroy();
    if (!isTold) log(refusedText(remotePort));
    isTold = true;
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

const refusedText = (port = 0): string =>
  `erphost: a connection from port ${port} of this machine was refused, because the system does not list it as one of the user who runs this plugin. More of them are refused without a line.\n`;
