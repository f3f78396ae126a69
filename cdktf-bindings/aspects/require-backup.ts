import { TerraformStack, type TerraformResource } from "cdktf";
import type { Values } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";
import { UNKNOWN, type Kind } from "../../provider/resources";
import { stacksIn } from "../checks/app";
import { addressOf, blocksIn, inputText, ownerOf, readProgram } from "../checks/program";
import { attribute, attributesIn } from "../checks/references";
import { kindOf } from "../kind-of";
import { BackupSchedule } from "../patterns/backup-schedule";
import { once } from "../synthesis";
import { Policy, type PolicyOptions } from "./policy";

/** How an instance may be backed up: by a `Backup`, by a `BackupSchedule`, or before an upgrade. */
export type BackedUpBy = "backup" | "schedule" | "upgrade";

export interface RequireBackupOptions extends PolicyOptions {
  /** What counts; one of them is enough. Default: any. */
  readonly by?: readonly BackedUpBy[];
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

  constructor(options: RequireBackupOptions = {}) {
    super("backup_before_upgrade", options);
    this.by = options.by ?? ["schedule", "backup", "upgrade"];
  }

  /** @internal */
  protected broken(inputs: Values, resource: TerraformResource, kind: Kind): readonly Message[] {
    const guard = kind.reading.backupBefore?.option ?? "";
    if (this.by.includes("upgrade") && inputs[guard] === true) return [];
    const stack = TerraformStack.of(resource);
    const { instances, servers } = once(stack, this.coveredIn);
    if (instances.has(resource) || servers.has(inputText(resource, "server_id"))) return [];
    const own = attribute(stack, `${addressOf(resource)}.id`);
    const server = attributesIn(Reflect.get(resource, "serverIdInput"));
    // By stack, because Aspects of a later stack may add backups.
    const isElsewhere = once(stack.node.root, stacksIn)
      .filter((other) => other !== stack)
      .some((other) => [own, ...server].some((id) => once(other, this.backedUpIn).has(id)));
    if (isElsewhere) return [];
    const isOpen = this.by.includes("upgrade") && inputs[guard] === UNKNOWN;
    const about = { subject: { kind: kind.name } };
    return [
      isOpen
        ? message("policy_unknown", { rule: "RequireBackup" }, { ...about, path: [guard] })
        : message("backup_required", { by: this.by, guard }, about),
    ];
  }

  /** What a stack backs up: the blocks of instances, and the texts of servers' ids. */
  private readonly coveredIn = (stack: TerraformStack) => {
    const program = once(stack, readProgram);
    const counted = program.declarations
      .map(({ resource }) => resource)
      .filter((resource) => this.counts(resource));
    const servers = counted.map((each) => inputText(each, "server_id"));
    return {
      instances: new Set<unknown>(
        counted.flatMap((each) => blocksIn(program, inputText(each, "instance_id"))),
      ),
      servers: new Set(servers.filter((text) => text !== "")),
    };
  };

  /** The ids of instances and servers, of any stack, that a stack backs up. */
  private readonly backedUpIn = (stack: TerraformStack): ReadonlySet<string> =>
    new Set(
      once(stack, readProgram)
        .declarations.filter(({ resource }) => this.counts(resource))
        .flatMap(({ resource }) =>
          ["instanceIdInput", "serverIdInput"].flatMap((input) =>
            attributesIn(Reflect.get(resource, input)),
          ),
        ),
    );

  private counts(resource: TerraformResource): boolean {
    if (kindOf(resource)?.name !== "backup") return false;
    return this.by.includes(ownerOf(resource) instanceof BackupSchedule ? "schedule" : "backup");
  }
}
