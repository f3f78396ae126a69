/** A virtual machine that hosts the ERP application. */
import type { Construct } from "constructs";
import { DataErphostServer } from "../generated/data-erphost-server";
import { Server as ServerResource, type ServerConfig } from "../generated/server";
import { Backup, type BackupProps } from "./backup";
import { Declared, RESOURCE, withoutUndefined, type Unsupported } from "./declared";
import { existing } from "./existing";
import { Instance, type InstanceProps } from "./instance";
import type { IServer } from "./interfaces";

/** Props of a server. */
export interface ServerProps extends Omit<ServerConfig, Unsupported | "name"> {
  /** Name of the server; default: the construct's id. */
  readonly name?: string;
}

/**
 * Declares a server. Applying it waits until the server is ready.
 * @example
 * const server = new Server(stack, "web", { properties: { region: "eu-central" } });
 * server.addInstance("erp", { version: "17.0" });
 * const found = Server.fromServerName(stack, "found", "erp-production");
 * new Instance(stack, "trial", { server: found });
 */
export class Server extends Declared<ServerResource> implements IServer {
  readonly resource: ServerResource;

  constructor(scope: Construct, id: string, props: ServerProps = {}) {
    super(scope, id);
    this.resource = this.declare(ServerResource, {
      name: id,
      ...withoutUndefined(props),
    });
  }

  /** Refers to an existing server by its id; makes no call. */
  static fromServerId(scope: Construct, id: string, serverId: string): IServer {
    return existing(scope, id, { serverId }, "Or use fromServerName.");
  }

  /** Refers to an existing server by its name, which the plan looks up; several matches are an error. */
  static fromServerName(scope: Construct, id: string, name: string): IServer {
    const found = existing(scope, id, { name }, "Or use fromServerId.");
    return Object.assign(found, { serverId: new DataErphostServer(found, RESOURCE, { name }).id });
  }

  get serverId(): string {
    return this.resource.id;
  }

  /** `running` once it is ready. */
  get status(): string {
    return this.resource.status;
  }

  /** Declares an instance on this server, as a child of this construct. */
  addInstance(id: string, props: Omit<InstanceProps, "server"> = {}): Instance {
    return new Instance(this, id, { ...props, server: this });
  }

  /** Declares a backup of this server, as a child of this construct. */
  addBackup(id: string, props: Omit<BackupProps, "instance" | "server"> = {}): Backup {
    return new Backup(this, id, { ...props, server: this });
  }
}
