/** The wire between a face and the emulator: requests can be held on it before the service sees them. */
import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

export interface Line {
  readonly port: number;
  /** Requests that begin with this are held from now on, such as `POST /v1/servers`. */
  hold(begin: string): void;
  /** How many are held. */
  heldCount(): number;
  /** Values of keys that the service has told. */
  toldKeys(): readonly string[];
  /** Drops what is held, and all connections; later ones pass. */
  clear(): void;
  close(): Promise<void>;
}

const KEY = /erp_(?:live|test)_\w+/g;

/** Opens a line to a port of this machine. */
export async function openLine(to: number): Promise<Line> {
  const sockets = new Set<Socket>();
  const keys = new Set<string>();
  let held = 0;
  let begin: string | undefined;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((near) => {
    const far = connect(to, "127.0.0.1");
    keep(near);
    keep(far);
    let stopped = false;
    near.on("data", (chunk) => {
      // One request at a time goes over a connection, so that a chunk begins with its head.
      if (!stopped && begin !== undefined && chunk.toString("latin1").startsWith(begin)) {
        stopped = true;
        held += 1;
      }
      if (!stopped) far.write(chunk);
    });
    far.on("data", (chunk) => {
      for (const [value] of chunk.toString("latin1").matchAll(KEY)) keys.add(value);
    });
    far.pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const clear = () => {
    begin = undefined;
    held = 0;
    for (const socket of sockets) socket.destroy();
  };
  return {
    // A TCP server's address is always of this shape.
    port: (server.address() as AddressInfo).port,
    hold: (text) => void (begin = text),
    heldCount: () => held,
    toldKeys: () => [...keys],
    clear,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        clear();
      }),
  };
}
