/** A virtual machine that hosts the ERP application. */
import type { Construct } from "constructs";
import type { Values } from "../provider/contract";
import { Backup, type BackupProps } from "./backup";
import { Declared, Existing, given, RESOURCE, type NotTaken } from "./construct";
import { DataErphostServer } from "./generated/data-erphost-server";
import { Server as ServerResource, type ServerConfig } from "./generated/server";
import { Instance, type InstanceProps } from "./instance";
import type { IServer } from "./interfaces";

/** What a server takes. */
export interface ServerProps extends Omit<ServerConfig, NotTaken | "name"> {
  /** Name of the server; default: the construct's id. */
  readonly name?: string;
}

/**
 * Declares a server, and waits until it is ready.
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
    this.resource = this.declare(
      "server",
      () =>
        new Rendered(this, RESOURCE, {
          name: id,
          ...given(props),
          ...this.identity(props.idempotencyToken),
        }),
    );
  }

  /** A server that exists, by its id; nothing is asked of the service. */
  static fromServerId(scope: Construct, id: string, serverId: string): IServer {
    return new ServerOfId(scope, id, serverId);
  }

  /** A server that exists, found by its name while planning; several of that name are an error. */
  static fromServerName(scope: Construct, id: string, name: string): IServer {
    return new ServerOfName(scope, id, name);
  }

  get serverId(): string {
    return this.resource.id;
  }

  /** `running` when it is ready. */
  get status(): string {
    return this.resource.status;
  }

  /** Declares an instance on this server, below it. */
  addInstance(id: string, props: Omit<InstanceProps, "server"> = {}): Instance {
    return new Instance(this, id, { ...props, server: this });
  }

  /** Declares a backup of this server, below it. */
  addBackup(id: string, props: Omit<BackupProps, "instance" | "server"> = {}): Backup {
    return new Backup(this, id, { ...props, server: this });
  }
}

class ServerOfId extends Existing implements IServer {
  readonly serverId: string;

  constructor(scope: Construct, id: string, serverId: string) {
    super(scope, id);
    this.serverId = this.given("serverId", serverId, "Or use fromServerName.");
  }
}

class ServerOfName extends Existing implements IServer {
  private readonly found: DataErphostServer;

  constructor(scope: Construct, id: string, name: string) {
    super(scope, id);
    this.found = new DataErphostServer(this, RESOURCE, {
      name: this.given("name", name, "Or use fromServerId."),
    });
  }

  get serverId(): string {
    return this.found.id;
  }
}

class Rendered extends ServerResource {
  protected override synthesizeAttributes(): Values {
    return given(super.synthesizeAttributes());
  }
}
