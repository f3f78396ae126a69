import { Construct } from "constructs";
import { joinAccount } from "../constructs/account";
import type { Backup, BackupOptions } from "../constructs/backup";
import { withoutUndefined } from "../constructs/declared";
import { defaultName } from "../constructs/identity";
import { Instance, type InstanceProps } from "../constructs/instance";
import type { IInstance } from "../constructs/interfaces.gen";
import { merged } from "../properties";

/** An instance's props, of which the version is required. */
export interface BackedUpInstanceProps extends Omit<InstanceProps, "backupBeforeUpgrade"> {
  /** Release number, such as `17.0`. Changing it backs up, upgrades, and backs up the new release. */
  readonly version: string;
  /** Further props of the backup of each release. */
  readonly backupProps?: BackupOptions;
}

/**
 * An instance that is backed up before each change of its version, and again after it, so that there
 * is a backup of either release.
 * @example
 * const server = new Server(stack, "web");
 * new BackedUpInstance(stack, "accounting", { server, version: "17.0" });
 */
export class BackedUpInstance extends Construct implements IInstance {
  readonly instance: Instance;
  /** Backup of the release that runs now. */
  readonly backup: Backup;

  constructor(scope: Construct, id: string, props: BackedUpInstanceProps) {
    super(scope, id);
    const { backupProps = {}, ...given } = withoutUndefined(props);
    joinAccount(this, given.provider);
    this.instance = new Instance(this, "Instance", {
      name: defaultName(this, id),
      ...given,
      backupBeforeUpgrade: true,
    });
    const triggers = merged(backupProps.triggers, { release: given.version });
    this.backup = this.instance.addBackup("Release", {
      ...backupProps,
      triggers: triggers as Record<string, string>,
    });
  }

  /** The instance's id. */
  get instanceId(): string {
    return this.instance.instanceId;
  }

  /** `running` once the instance is ready. */
  get status(): string {
    return this.instance.status;
  }

  /** The backup's address in Terraform: what depends on it comes after the upgrade and both backups. */
  get fqn(): string {
    return this.backup.fqn;
  }
}
