/** A backup of an instance or of a server. */
import type { Construct } from "constructs";
import { Backup as BackupResource, type BackupConfig } from "../generated/backup";
import { Declared, type Unsupported } from "./declared";
import { existing } from "./existing";
import type { IBackup, IInstance, IServer } from "./interfaces";

/** Props of a backup: exactly one of `instance` and `server`. */
export interface BackupProps extends Omit<BackupConfig, Unsupported | "instanceId" | "serverId"> {
  /** Instance to back up. */
  readonly instance?: IInstance;
  /** Server to back up, with everything that runs on it. */
  readonly server?: IServer;
}

/**
 * Takes a backup once, and another whenever a value of `triggers` changes. The service cannot delete
 * backups: one that is no longer declared is retained there.
 * @example
 * const instance = Instance.fromInstanceName(stack, "erp", "erp");
 * new Backup(stack, "monthly", { instance, triggers: { month: "2026-01" } });
 */
export class Backup extends Declared<BackupResource> implements IBackup {
  readonly resource: BackupResource;

  constructor(scope: Construct, id: string, props: BackupProps) {
    super(scope, id);
    const { instance, server, ...rest } = props;
    this.resource = this.declare(BackupResource, {
      ...rest,
      ...(instance && { instanceId: instance.instanceId }),
      ...(server && { serverId: server.serverId }),
    });
  }

  /** Refers to an existing backup by its id; makes no call. */
  static fromBackupId(scope: Construct, id: string, backupId: string): IBackup {
    return existing(scope, id, { backupId }, "Copy it from the dashboard.");
  }

  get backupId(): string {
    return this.resource.id;
  }

  /** `completed` once it has been taken. */
  get status(): string {
    return this.resource.status;
  }
}
