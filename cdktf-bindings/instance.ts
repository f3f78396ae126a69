/** An installation of the ERP application. */
import type { Construct } from "constructs";
import type { Values } from "../provider/contract";
import { Backup, type BackupProps } from "./backup";
import { Declared, Existing, given, RESOURCE, type NotTaken } from "./construct";
import { DataErphostInstance } from "./generated/data-erphost-instance";
import { Instance as InstanceResource, type InstanceConfig } from "./generated/instance";
import type { IInstance, IServer } from "./interfaces";

/** What an instance takes. */
export interface InstanceProps extends Omit<InstanceConfig, NotTaken | "name" | "serverId"> {
  /** Server that it runs on. Another one makes the instance anew. */
  readonly server: IServer;
  /** Name of the installation; default: the construct's id. */
  readonly name?: string;
}

/**
 * Runs the ERP application on a server. A backup is taken before its version changes.
 * @example
 * const server = Server.fromServerId(stack, "server", "srv_1");
 * const instance = new Instance(stack, "erp", { server, version: "17.0", edition: "community" });
 * instance.addBackup("before-audit", { triggers: { audit: "2026" } });
 */
export class Instance extends Declared<InstanceResource> implements IInstance {
  readonly resource: InstanceResource;

  constructor(scope: Construct, id: string, props: InstanceProps) {
    super(scope, id);
    const { server, ...rest } = props;
    this.resource = this.declare(
      "instance",
      () =>
        new Rendered(this, RESOURCE, {
          name: id,
          backupBeforeUpgrade: true,
          ...given(rest),
          serverId: server.serverId,
          ...this.identity(rest.idempotencyToken),
        }),
      { server_id: "server" },
    );
  }

  /** An instance that exists, by its id; nothing is asked of the service. */
  static fromInstanceId(scope: Construct, id: string, instanceId: string): IInstance {
    return new InstanceOfId(scope, id, instanceId);
  }

  /** An instance that exists, found by its name while planning; several of that name are an error. */
  static fromInstanceName(scope: Construct, id: string, name: string): IInstance {
    return new InstanceOfName(scope, id, name);
  }

  get instanceId(): string {
    return this.resource.id;
  }

  /** `running` when it is ready. */
  get status(): string {
    return this.resource.status;
  }

  /** Declares a backup of this instance below it. */
  addBackup(id: string, props: Omit<BackupProps, "instance" | "server"> = {}): Backup {
    return new Backup(this, id, { ...props, instance: this });
  }
}

class InstanceOfId extends Existing implements IInstance {
  readonly instanceId: string;

  constructor(scope: Construct, id: string, instanceId: string) {
    super(scope, id);
    this.instanceId = this.given("instanceId", instanceId, "Or use fromInstanceName.");
  }
}

class InstanceOfName extends Existing implements IInstance {
  private readonly found: DataErphostInstance;

  constructor(scope: Construct, id: string, name: string) {
    super(scope, id);
    this.found = new DataErphostInstance(this, RESOURCE, {
      name: this.given("name", name, "Or use fromInstanceId."),
    });
  }

  get instanceId(): string {
    return this.found.id;
  }
}

class Rendered extends InstanceResource {
  protected override synthesizeAttributes(): Values {
    return given(super.synthesizeAttributes());
  }
}
