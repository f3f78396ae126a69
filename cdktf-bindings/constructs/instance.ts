import type { IResolvable } from "cdktf";
import type { Construct } from "constructs";
import {
  DataErphostInstance,
  type DataErphostInstanceConfig,
} from "../generated/data-erphost-instance";
import {
  DataErphostInstances,
  type DataErphostInstancesConfig,
} from "../generated/data-erphost-instances";
import { Instance as InstanceResource, type InstanceConfig } from "../generated/instance";
import { Backup, type BackupOptions } from "./backup";
import { DeclaredNamed, DEFAULT, withoutUndefined } from "./declared";
import type { DeclaredProps, Replaced } from "./declared";
import { existing, idsIn, lookedUp, lookedUpBy, withAttributes } from "./existing";
import type { Attributes, FoundAll, LookupOptions, Selection } from "./existing";
import { defaultName } from "./identity";
import type { IInstance, IServer } from "./interfaces";

const ATTRIBUTES = ["name", "version", "edition", "status", "createdAt", "properties"] as const;

/** An instance that a lookup has found, with its attributes. */
export type FoundInstance = IInstance &
  Attributes<DataErphostInstance, (typeof ATTRIBUTES)[number]>;

export interface InstanceProps
  extends
    Omit<InstanceConfig, Replaced | "name" | "serverId" | "backupBeforeUpgrade">,
    DeclaredProps {
  /** The server that hosts the instance. Changing this forces replacement. */
  readonly server: IServer;
  /** Name of the installation; default: the construct's id, after the stage's prefix. */
  readonly name?: string;
  /** Whether a backup is taken, and waited for, before the version changes; default: true. */
  readonly backupBeforeUpgrade?: boolean | IResolvable;
}

/**
 * Runs the ERP application on a server. A backup is taken before its version changes.
 * @example
 * const server = Server.fromServerId(stack, "server", "srv_1");
 * const instance = new Instance(stack, "erp", { server, version: "17.0", edition: "community" });
 * instance.addBackup("before-audit", { triggers: { audit: "2026" } });
 */
export class Instance extends DeclaredNamed<InstanceResource> implements IInstance {
  readonly resource: InstanceResource;

  constructor(scope: Construct, id: string, props: InstanceProps) {
    super(scope, id);
    const { server, ...rest } = withoutUndefined(props);
    this.resource = this.declare(InstanceResource, {
      name: defaultName(this, id),
      backupBeforeUpgrade: true,
      ...rest,
      serverId: this.idOf("server", "server", server),
    });
  }

  /** Refers to an existing instance by its id; makes no call. */
  static fromInstanceId(
    scope: Construct,
    id: string,
    instanceId: string,
    options: LookupOptions = {},
  ): IInstance {
    const instead = "Or use fromInstanceName.";
    return existing(scope, id, { by: { instanceId }, instead, ...options });
  }

  /** Refers to an existing instance by its name, which the plan looks up; several matches are an error. */
  static fromInstanceName(
    scope: Construct,
    id: string,
    name: string,
    options: LookupOptions = {},
  ): FoundInstance {
    const instead = "Or use fromInstanceId.";
    const found = existing(scope, id, { by: { name }, instead, ...options });
    const data = new DataErphostInstance(found, DEFAULT, { name, ...lookedUpBy(found) });
    return withAttributes(found, data, ATTRIBUTES, { instanceId: data.id });
  }

  /** Refers to the one instance that matches, which the plan looks up; none and several are errors. */
  static fromLookup(
    scope: Construct,
    id: string,
    selection: Selection<DataErphostInstanceConfig>,
    options: LookupOptions = {},
  ): FoundInstance {
    const found = lookedUp(scope, id, { Source: DataErphostInstance, selection, ...options });
    return withAttributes(found, found.data, ATTRIBUTES, { instanceId: found.data.id });
  }

  /** The instances that match, newest first, which the plan looks up. */
  static lookupAll(
    scope: Construct,
    id: string,
    selection: Selection<DataErphostInstancesConfig> = {},
    options: LookupOptions = {},
  ): FoundAll<DataErphostInstances> {
    const found = lookedUp(scope, id, { Source: DataErphostInstances, selection, ...options });
    return Object.assign(found, { ids: idsIn(found.data, "instances") });
  }

  get instanceId(): string {
    return this.resource.id;
  }

  /** Release number that it runs. */
  get version(): string {
    return this.resource.version;
  }

  /** Edition name. */
  get edition(): string {
    return this.resource.edition;
  }

  /** `running` once it is ready. */
  get status(): string {
    return this.resource.status;
  }

  /** Declares a backup of this instance, as a child of this construct and in its account. */
  addBackup(id: string, props: BackupOptions = {}): Backup {
    return new Backup(this, id, { ...props, instance: this });
  }
}
