/** The line between a face and the emulator: it can hold requests before the service sees them. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

const KEY = /erp_(?:live|test)_\w+/g;

export class Line {
  private readonly sockets = new Set<Socket>();
  private readonly keys = new Set<string>();
  private readonly server: Server;
  private beginning: string | undefined;
  private held = 0;

  private constructor(private readonly farPort: number) {
    this.server = createServer((near) => this.join(near));
  }

  /** A line to a port of this machine. */
  static async to(farPort: number): Promise<Line> {
    const line = new Line(farPort);
    await once(line.server.listen(0, "127.0.0.1"), "listening");
    return line;
  }

  get port(): number {
    // A TCP server's address is always of this shape.
    return (this.server.address() as AddressInfo).port;
  }

  /** From now on requests that begin with this are held, such as `POST /v1/servers`. */
  hold(beginning: string): void {
    this.beginning = beginning;
  }

  get heldCount(): number {
    return this.held;
  }

  /** Values of keys in the service's answers. */
  get issuedKeys(): readonly string[] {
    return [...this.keys];
  }

  /** Drops what is held, and all connections; later ones pass. */
  clear(): void {
    this.beginning = undefined;
    this.held = 0;
    for (const socket of this.sockets) socket.destroy();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.clear();
    });
  }

  private join(near: Socket): void {
    const far = connect(this.farPort, "127.0.0.1");
    for (const socket of [near, far]) {
      this.sockets.add(socket.setNoDelay(true));
      socket.on("close", () => this.sockets.delete(socket));
      socket.on("error", () => socket.destroy());
    }
    let isHeld = false;
    near.on("data", (chunk) => {
      // A connection carries one request at a time, so a chunk begins with a request's head.
      const { beginning } = this;
      if (!isHeld && beginning !== undefined && chunk.toString("latin1").startsWith(beginning)) {
        isHeld = true;
        this.held += 1;
      }
      if (!isHeld) far.write(chunk);
    });
    far.on("data", (chunk) => {
      for (const [value] of chunk.toString("latin1").matchAll(KEY)) this.keys.add(value);
    });
    far.pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  }
}
