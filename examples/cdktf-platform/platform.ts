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
  /** Time that backups are scheduled by. */
  readonly now: Date;
}

/** The shops of an environment: upgraded in waves, and backed up every day. */
export class Shops extends ErphostStack {
  readonly fleet: InstanceFleet;

  constructor(stage: ErphostStage, { shops, version, now }: ShopsProps) {
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
    for (const [shop, instance] of Object.entries(this.fleet.instances)) {
      new BackupSchedule(this, `${shop}-daily`, { instance, every: "1d", now });
    }
    new TerraformOutput(this, "waves", { value: this.fleet.waves });
  }
}

export interface KeysProps {
  readonly shops: Shops;
  /** The age public key of the pipeline's secret store: only its owner can read the secret. */
  readonly recipient: string;
}

/** The key that an environment's pipeline deploys its shops with: it may do that, and nothing else. */
export class Keys extends ErphostStack {
  constructor(stage: ErphostStage, { shops, recipient }: KeysProps) {
    super(stage, "keys");
    const pipeline = new SealedApiKey(this, "pipeline", { ...deployKeyFor(shops), recipient });
    pipeline.output.overrideLogicalId("pipeline");
    new TerraformOutput(this, "pipeline_key_id", { value: pipeline.currentKeyId });
  }
}
