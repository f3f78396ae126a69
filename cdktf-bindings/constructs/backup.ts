import type { Construct } from "constructs";
import { Backup as BackupResource, type BackupConfig } from "../generated/backup";
import { DataErphostBackup, type DataErphostBackupConfig } from "../generated/data-erphost-backup";
import {
  DataErphostBackups,
  type DataErphostBackupsConfig,
} from "../generated/data-erphost-backups";
import { Declared, withoutUndefined, type DeclaredProps, type Replaced } from "./declared";
import { existing, idsIn, lookedUp, withAttributes } from "./existing";
import type { Attributes, FoundAll, LookupOptions, Selection } from "./existing";
import type { IBackup, IInstance, IServer } from "./interfaces";

const ATTRIBUTES = ["status", "createdAt", "properties"] as const;

/** A backup that a lookup has found, with its attributes. */
export type FoundBackup = IBackup & Attributes<DataErphostBackup, (typeof ATTRIBUTES)[number]>;

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
export class Backup extends Declared<BackupResource> implements IBackup {
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

  /** Refers to an existing backup by its id; makes no call. */
  static fromBackupId(
    scope: Construct,
    id: string,
    backupId: string,
    options: LookupOptions = {},
  ): IBackup {
    const instead = "Copy it from the dashboard.";
    return existing(scope, id, { by: { backupId }, instead, ...options });
  }

  /** Refers to the one backup that matches, which the plan looks up; none and several are errors. */
  static fromLookup(
    scope: Construct,
    id: string,
    selection: Selection<DataErphostBackupConfig>,
    options: LookupOptions = {},
  ): FoundBackup {
    const found = lookedUp(scope, id, { Source: DataErphostBackup, selection, ...options });
    return withAttributes(found, found.data, ATTRIBUTES, { backupId: found.data.id });
  }

  /** The backups that match, newest first, which the plan looks up. */
  static lookupAll(
    scope: Construct,
    id: string,
    selection: Selection<DataErphostBackupsConfig> = {},
    options: LookupOptions = {},
  ): FoundAll<DataErphostBackups> {
    const found = lookedUp(scope, id, { Source: DataErphostBackups, selection, ...options });
    return Object.assign(found, { ids: idsIn(found.data, "backups") });
  }

  get backupId(): string {
    return this.resource.id;
  }

  /** `completed` once it has been taken. */
  get status(): string {
    return this.resource.status;
  }

  /** Its free fields, those that the service has added among them. */
  get properties(): Readonly<Record<string, unknown>> {
    return this.resource.properties;
  }
}
