/** An instance that is backed up around each upgrade. */
import { Construct } from "constructs";
import type { Backup } from "../constructs/backup";
import { withoutUndefined } from "../constructs/declared";
import { Instance, type InstanceProps } from "../constructs/instance";

/** An instance's props, of which the version is required. */
export interface BackedUpInstanceProps extends Omit<InstanceProps, "backupBeforeUpgrade"> {
  /** Release number, such as `17.0`. Changing it backs up, upgrades, and backs up the new release. */
  readonly version: string;
}

/**
 * An instance that is backed up before each change of its version, and again after it, so that there
 * is a backup of either release.
 * @example
 * const server = new Server(stack, "web");
 * new BackedUpInstance(stack, "accounting", { server, version: "17.0" });
 */
export class BackedUpInstance extends Construct {
  readonly instance: Instance;
  /** Backup of the release that runs now. */
  readonly backup: Backup;

  constructor(scope: Construct, id: string, props: BackedUpInstanceProps) {
    super(scope, id);
    this.instance = new Instance(this, "Instance", {
      name: id,
      ...withoutUndefined(props),
      backupBeforeUpgrade: true,
    });
    this.backup = this.instance.addBackup("Release", { triggers: { release: props.version } });
  }
}
