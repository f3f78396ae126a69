import type { Construct } from "constructs";
import { Server as ServerResource, type ServerConfig } from "../generated/server";
import { Backup, type BackupOptions } from "./backup";
import { withoutUndefined, type NamedProps, type Replaced } from "./declared";
import { Instance, type InstanceProps } from "./instance";
import { defaultName } from "./identity";
import { ServerLookups } from "./lookups.gen";

export interface ServerProps extends Omit<ServerConfig, Replaced | "name">, NamedProps {}

/**
 * Declares a server. Applying it waits until the server is ready.
 * @example
 * const server = new Server(stack, "web", { properties: { region: "eu-central" } });
 * server.addInstance("erp", { version: "17.0" });
 * const found = Server.fromServerName(stack, "found", "erp-production");
 * new Instance(stack, "trial", { server: found });
 */
export class Server extends ServerLookups {
  readonly resource: ServerResource;

  constructor(scope: Construct, id: string, props: ServerProps = {}) {
    super(scope, id);
    this.resource = this.declare(ServerResource, {
      name: defaultName(this, id),
      ...withoutUndefined(props),
    });
  }

  /** Declares an instance on this server, as a child of this construct and in its account. */
  addInstance(id: string, props: Omit<InstanceProps, "server"> = {}): Instance {
    return new Instance(this, id, { ...props, server: this });
  }

  /** Declares a backup of this server, as a child of this construct and in its account. */
  addBackup(id: string, props: BackupOptions = {}): Backup {
    return new Backup(this, id, { ...props, server: this });
  }
}
