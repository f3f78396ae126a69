import type { IResolvable } from "cdktf";
import type { Construct } from "constructs";
import { Instance as InstanceResource, type InstanceConfig } from "../generated/instance";
import { Backup, type BackupOptions } from "./backup";
import { withoutUndefined, type NamedProps, type Replaced } from "./declared";
import { defaultName } from "./identity";
import type { IServer } from "./interfaces.gen";
import { InstanceLookups } from "./lookups.gen";

export interface InstanceProps
  extends Omit<InstanceConfig, Replaced | "name" | "serverId" | "backupBeforeUpgrade">, NamedProps {
  /** The server that hosts the instance. Changing this forces replacement. */
  readonly server: IServer;
  /** Whether a backup is taken, and waited for, before the version changes; default: true. */
  readonly backupBeforeUpgrade?: boolean | IResolvable;
}

/**
 * Runs the ERP application on a server. A backup is taken before its version changes.
 * @example
 * const server = Server.fromServerId(stack, "server", "srv_1");
 * const instance = new Instance(stack, "erp", { server, version: "17.0", edition: "community" });
 * instance.addBackup("before-audit", { triggers: { audit: "2026" } });
 */
export class Instance extends InstanceLookups {
  readonly resource: InstanceResource;

  constructor(scope: Construct, id: string, props: InstanceProps) {
    super(scope, id);
    const { server, ...rest } = withoutUndefined(props);
    this.resource = this.declare(InstanceResource, {
      name: defaultName(this, id),
      backupBeforeUpgrade: true,
      ...rest,
      serverId: this.idOf("server", "server", server),
    });
  }

  /** Declares a backup of this instance, as a child of this construct and in its account. */
  addBackup(id: string, props: BackupOptions = {}): Backup {
    return new Backup(this, id, { ...props, instance: this });
  }
}
