import type { Construct } from "constructs";
import { Backup as BackupResource, type BackupConfig } from "../generated/backup";
import { withoutUndefined, type DeclaredProps, type Replaced } from "./declared";
import type { IInstance, IServer } from "./interfaces.gen";
import { BackupLookups } from "./lookups.gen";

export interface BackupOptions
  extends Omit<BackupConfig, Replaced | "instanceId" | "serverId">, DeclaredProps {}

export interface InstanceBackupProps extends BackupOptions {
  /** Instance to back up. Changing this forces replacement. */
  readonly instance: IInstance;
  readonly server?: undefined;
}

export interface ServerBackupProps extends BackupOptions {
  /** Server to back up, with everything that runs on it. Changing this forces replacement. */
  readonly server: IServer;
  readonly instance?: undefined;
}

/** Props of a backup: exactly one of `instance` and `server`. */
export type BackupProps = InstanceBackupProps | ServerBackupProps;

/**
 * Takes a backup once, and another whenever a value of `triggers` changes. The service cannot delete
 * backups: one that is no longer declared is retained there.
 * @example
 * const instance = Instance.fromInstanceName(stack, "erp", "erp");
 * new Backup(stack, "monthly", { instance, triggers: { month: "2026-01" } });
 */
export class Backup extends BackupLookups {
  readonly resource: BackupResource;

  constructor(scope: Construct, id: string, props: BackupProps) {
    super(scope, id);
    const { instance, server, ...rest } = withoutUndefined(props);
    this.resource = this.declare(BackupResource, {
      ...rest,
      ...(instance && { instanceId: this.idOf("instance", "instance", instance) }),
      ...(server && { serverId: this.idOf("server", "server", server) }),
    });
  }
}
