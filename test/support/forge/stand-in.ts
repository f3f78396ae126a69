/** What the stand-ins for forges share: a server on this machine, and ids that count up. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono, type Context, type Next } from "hono";

/** What is answered in the place of the endpoint, for as many calls as `times` says. */
export interface Fault {
  /** Of a call, such as `GET /user`. */
  readonly match: RegExp;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the call is done all the same, and its answer alone is lost. */
  readonly isDone?: boolean;
  times: number;
}

export abstract class StandIn {
  faults: Fault[] = [];
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

  /** Lets a call pass, unless it meets a fault. @param body of that answer */
  protected async passed(c: Context, next: Next, body: object) {
    const line = `${c.req.method} ${c.req.path}`;
    const fault = this.faults.find(({ match, times }) => times > 0 && match.test(line));
    if (fault === undefined) return next();
    fault.times -= 1;
    if (fault.isDone === true) await next();
    return c.json(body, fault.status as 500, fault.headers);
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
