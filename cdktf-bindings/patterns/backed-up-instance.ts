/** An instance whose upgrades can be undone. */
import { Construct } from "constructs";
import type { Backup } from "../backup";
import { given } from "../construct";
import { Instance, type InstanceProps } from "../instance";

/** What it takes: an instance's props, with the version that upgrades are told by. */
export interface BackedUpInstanceProps extends Omit<InstanceProps, "backupBeforeUpgrade"> {
  /** Release number, such as `17.0`. A change backs up, upgrades, and backs up the new release. */
  readonly version: string;
}

/**
 * An instance that is backed up before every change of its version, and again after it: the first
 * to go back to, the second to go on from.
 * @example
 * const server = new Server(stack, "web");
 * new BackedUpInstance(stack, "accounting", { server, version: "17.0" });
 */
export class BackedUpInstance extends Construct {
  readonly instance: Instance;
  /** Of the release that runs now. */
  readonly backup: Backup;

  constructor(scope: Construct, id: string, props: BackedUpInstanceProps) {
    super(scope, id);
    this.instance = new Instance(this, "Instance", {
      name: id,
      ...given(props),
      backupBeforeUpgrade: true,
    });
    this.backup = this.instance.addBackup("Release", { triggers: { release: props.version } });
  }
}
