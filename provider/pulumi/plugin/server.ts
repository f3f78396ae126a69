/** The gRPC server that Pulumi's engine calls. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { serveGrpc, type GrpcOptions } from "../../grpc";
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
  const connections = new Set<Socket>();
  let isTold = false;
  const server = createServer((socket) => {
    if (accepts(socket)) {
      connections.add(socket.on("close", () => connections.delete(socket)));
      // Every failure is an answer.
      serveGrpc(socket, { methods, held: new Set(), onFault: () => undefined });
      return;
    }
    if (!isTold) log(refusedText(socket.remotePort));
    isTold = true;
    socket.destroy();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
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
