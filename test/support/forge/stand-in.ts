/** What the stand-ins for forges share: a server on this machine, and ids that count up. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

export abstract class StandIn {
  protected readonly app = new Hono();
  private readonly server = serve({ fetch: this.app.fetch, port: 0, hostname: "127.0.0.1" });
  private last = 0;

  get host(): string {
    // A TCP server's address is an object, never the path of a socket.
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  next(): number {
    return (this.last += 1);
  }

  protected async listening(): Promise<this> {
    if (!this.server.listening) await once(this.server, "listening");
    return this;
  }

  async close(): Promise<void> {
    if ("closeAllConnections" in this.server) this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
