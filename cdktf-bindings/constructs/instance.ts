/** An installation of the ERP application. */
import type { Construct } from "constructs";
import { DataErphostInstance } from "../generated/data-erphost-instance";
import { Instance as InstanceResource, type InstanceConfig } from "../generated/instance";
import { Backup, type BackupProps } from "./backup";
import { Declared, RESOURCE, withoutUndefined, type Unsupported } from "./declared";
import { existing } from "./existing";
import type { IInstance, IServer } from "./interfaces";

/** Props of an instance. */
export interface InstanceProps extends Omit<InstanceConfig, Unsupported | "name" | "serverId"> {
  /** The server that hosts the instance. Changing this forces replacement. */
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
    this.resource = this.declare(InstanceResource, {
      name: id,
      backupBeforeUpgrade: true,
      ...withoutUndefined(rest),
      serverId: server.serverId,
    });
  }

  /** Refers to an existing instance by its id; makes no call. */
  static fromInstanceId(scope: Construct, id: string, instanceId: string): IInstance {
    return existing(scope, id, { instanceId }, "Or use fromInstanceName.");
  }

  /** Refers to an existing instance by its name, which the plan looks up; several matches are an error. */
  static fromInstanceName(scope: Construct, id: string, name: string): IInstance {
    const found = existing(scope, id, { name }, "Or use fromInstanceId.");
    return Object.assign(found, {
      instanceId: new DataErphostInstance(found, RESOURCE, { name }).id,
    });
  }

  get instanceId(): string {
    return this.resource.id;
  }

  /** `running` once it is ready. */
  get status(): string {
    return this.resource.status;
  }

  /** Declares a backup of this instance, as a child of this construct. */
  addBackup(id: string, props: Omit<BackupProps, "instance" | "server"> = {}): Backup {
    return new Backup(this, id, { ...props, instance: this });
  }
}
