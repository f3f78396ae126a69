/** A backup of an instance or of a server. */
import type { Construct } from "constructs";
import type { Values } from "../provider/contract";
import { Declared, Existing, given, RESOURCE, type NotTaken } from "./construct";
import { Backup as BackupResource, type BackupConfig } from "./generated/backup";
import type { IBackup, IInstance, IServer } from "./interfaces";

/** What a backup takes; exactly one of `instance` and `server`. */
export interface BackupProps extends Omit<BackupConfig, NotTaken | "instanceId" | "serverId"> {
  /** Instance to back up. */
  readonly instance?: IInstance;
  /** Server to back up, with all that runs on it. */
  readonly server?: IServer;
}

/**
 * Takes a backup once, and anew whenever a value of `triggers` changes. The service offers no
 * delete: what is no longer declared is retained there.
 * @example
 * const instance = Instance.fromInstanceName(stack, "erp", "erp");
 * new Backup(stack, "monthly", { instance, triggers: { month: "2026-01" } });
 */
export class Backup extends Declared<BackupResource> implements IBackup {
  readonly resource: BackupResource;

  constructor(scope: Construct, id: string, props: BackupProps) {
    super(scope, id);
    const { instance, server, ...rest } = props;
    this.resource = this.declare(
      "backup",
      () =>
        new Rendered(this, RESOURCE, {
          ...rest,
          ...(instance && { instanceId: instance.instanceId }),
          ...(server && { serverId: server.serverId }),
          ...this.identity(rest.idempotencyToken),
        }),
      {
        instance_id: "instance",
        server_id: "server",
      },
    );
  }

  /** A backup that exists, by its id. */
  static fromBackupId(scope: Construct, id: string, backupId: string): IBackup {
    return new FoundBackup(scope, id, backupId);
  }

  get backupId(): string {
    return this.resource.id;
  }

  /** `completed` when it is done. */
  get status(): string {
    return this.resource.status;
  }
}

class FoundBackup extends Existing implements IBackup {
  readonly backupId: string;

  constructor(scope: Construct, id: string, backupId: string) {
    super(scope, id);
    this.backupId = this.given("backupId", backupId, "Copy it from the dashboard.");
  }
}

class Rendered extends BackupResource {
  protected override synthesizeAttributes(): Values {
    return given(super.synthesizeAttributes());
  }
}
