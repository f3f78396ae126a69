import { TerraformOutput } from "cdktf";
import {
  BackupSchedule,
  deployKeyFor,
  type ErphostStage,
  ErphostStack,
  InstanceFleet,
  SealedApiKey,
  Server,
} from "erphost/cdktf";

export interface ShopsProps {
  readonly shops: readonly string[];
  /** Release of all shops. */
  readonly version: string;
}

/** The shops of an environment, upgraded in waves. */
export class Shops extends ErphostStack {
  readonly fleet: InstanceFleet;

  constructor(stage: ErphostStage, { shops, version }: ShopsProps) {
    super(stage, "shops");
    const server = new Server(this, "server");
    // The first shop is the canary. Half of the others come next, each backed up first; a wave that
    // does not become ready stops those after it.
    this.fleet = new InstanceFleet(this, "fleet", {
      instances: shops,
      version,
      waveSize: "50%",
      common: { server },
    });
    new TerraformOutput(this, "waves", { value: this.fleet.waves });
  }
}

export interface BackupsProps {
  readonly shops: Shops;
  /** Time that backups are scheduled by. */
  readonly now: Date;
}

/**
 * A backup of each shop a day, in a stack of its own: while a release has failed on its canary, every
 * plan of the shops is refused, and backups are taken all the same.
 */
export class Backups extends ErphostStack {
  constructor(stage: ErphostStage, { shops, now }: BackupsProps) {
    super(stage, "backups");
    for (const [shop, instance] of Object.entries(shops.fleet.instances)) {
      new BackupSchedule(this, shop, { instance, every: "1d", now });
    }
  }
}

export interface KeysProps {
  readonly shops: Shops;
  readonly backups: Backups;
  /** The age public key of the pipelines' secret store: only its owner can read the secrets. */
  readonly recipient: string;
}

/** A key for each of an environment's pipelines: it may deploy one stack, and nothing else. */
export class Keys extends ErphostStack {
  constructor(stage: ErphostStage, { recipient, ...stacks }: KeysProps) {
    super(stage, "keys");
    for (const [name, stack] of Object.entries(stacks)) {
      const key = new SealedApiKey(this, name, { ...deployKeyFor(stack), recipient });
      key.output.overrideLogicalId(name);
      new TerraformOutput(this, `${name}_key_id`, { value: key.currentKeyId });
    }
  }
}
