/** Backups of every instance. */
import { TerraformResource, TerraformStack } from "cdktf";
import type { Values } from "../../provider/contract";
import { isUnknown } from "../../provider/engine/planning/unknown";
import { message, type Message } from "../../provider/messages";
import type { Kind } from "../../provider/resources";
import {
  addressOf,
  blocksIn,
  hasMoved,
  inputText,
  ownerOf,
  readProgram,
  type Block,
} from "../checks/program";
import { attribute, attributesIn } from "../checks/references";
import { kindOf } from "../kind-of";
import { BackupSchedule } from "../patterns/backup-schedule";
import { Policy, type PolicyOptions } from "./policy";

/** How an instance may be backed up: by a `Backup`, by a `BackupSchedule`, or before an upgrade. */
export type BackedUpBy = "backup" | "schedule" | "upgrade";

/** Options of the rule. */
export interface RequireBackupOptions extends PolicyOptions {
  /** What counts; one of them is enough. Default: any. */
  readonly by?: readonly BackedUpBy[];
}

/** The backups of a stack's instances, each as the block of the instance or the text of its server. */
interface Covered {
  readonly instances: ReadonlySet<Block>;
  readonly servers: ReadonlySet<string>;
  /** The ids of instances and servers that the other stacks of the app back up. */
  readonly elsewhere: ReadonlySet<string>;
}

/**
 * Demands that every instance below is backed up: by a `Backup` or a `BackupSchedule` of it or of its
 * server, or before its upgrades. One in another stack of the app counts if it is given the construct,
 * and not an id. What only Terraform knows does not count.
 * @example
 * const erp = new Server(stack, "web").addInstance("erp");
 * new BackupSchedule(stack, "nightly", { instance: erp, every: "1d" });
 * Aspects.of(app).add(new RequireBackup({ by: ["schedule"] }));
 */
export class RequireBackup extends Policy {
  private readonly by: readonly BackedUpBy[];
  /** By stack, for one synthesis. */
  private covered = new WeakMap<TerraformStack, Covered>();

  constructor(options: RequireBackupOptions = {}) {
    super("backup_before_upgrade", options);
    this.by = options.by ?? ["schedule", "backup", "upgrade"];
  }

  protected override apply(resource: TerraformResource, kind: Kind): void {
    this.covered = new WeakMap();
    super.apply(resource, kind);
  }

  protected broken(inputs: Values, resource: TerraformResource, kind: Kind): readonly Message[] {
    const guard = kind.reading.backupBefore?.option ?? "";
    if (this.by.includes("upgrade") && inputs[guard] === true) return [];
    const stack = TerraformStack.of(resource);
    const { instances, servers, elsewhere } = this.coveredIn(stack);
    if (instances.has(resource) || servers.has(inputText(resource, "server_id"))) return [];
    const own = attribute(stack, `${addressOf(resource)}.id`);
    const server = attributesIn(Reflect.get(resource, "serverIdInput"));
    if ([own, ...server].some((id) => elsewhere.has(id))) return [];
    const isOpen = this.by.includes("upgrade") && isUnknown(inputs[guard]);
    const about = { subject: { kind: kind.name } };
    return [
      isOpen
        ? message("policy_unknown", { rule: "RequireBackup" }, { ...about, path: [guard] })
        : message("backup_required", { by: this.by, guard }, about),
    ];
  }

  private coveredIn(stack: TerraformStack): Covered {
    const known = this.covered.get(stack);
    if (known) return known;
    const program = readProgram(stack);
    const counted = program.declarations
      .map(({ resource }) => resource)
      .filter((resource) => this.counts(resource));
    const covered = {
      instances: new Set(
        counted.flatMap((each) => blocksIn(program, inputText(each, "instance_id"))),
      ),
      servers: new Set(
        counted.map((each) => inputText(each, "server_id")).filter((text) => text !== ""),
      ),
      elsewhere: new Set(
        stack.node.root.node
          .findAll()
          .filter((each) => TerraformResource.isTerraformResource(each))
          .filter((each) => each.cdktfStack !== stack && this.counts(each) && !hasMoved(each))
          .flatMap((each) =>
            ["instanceIdInput", "serverIdInput"].flatMap((id) =>
              attributesIn(Reflect.get(each, id)),
            ),
          ),
      ),
    };
    this.covered.set(stack, covered);
    return covered;
  }

  private counts(resource: TerraformResource): boolean {
    if (kindOf(resource)?.name !== "backup") return false;
    return this.by.includes(isScheduled(resource) ? "schedule" : "backup");
  }
}

const isScheduled = (resource: TerraformResource): boolean =>
  ownerOf(resource) instanceof BackupSchedule;
