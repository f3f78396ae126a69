import type { Construct } from "constructs";
import { DataErphostServer, type DataErphostServerConfig } from "../generated/data-erphost-server";
import {
  DataErphostServers,
  type DataErphostServersConfig,
} from "../generated/data-erphost-servers";
import { Server as ServerResource, type ServerConfig } from "../generated/server";
import { Backup, type BackupOptions } from "./backup";
import { DeclaredNamed, DEFAULT, withoutUndefined } from "./declared";
import type { DeclaredProps, Replaced } from "./declared";
import { existing, idsIn, lookedUp, lookedUpBy, withAttributes } from "./existing";
import type { Attributes, FoundAll, LookupOptions, Selection } from "./existing";
import { Instance, type InstanceProps } from "./instance";
import { defaultName } from "./identity";
import type { IServer } from "./interfaces";

const ATTRIBUTES = ["name", "status", "createdAt", "properties"] as const;

/** A server that a lookup has found, with its attributes. */
export type FoundServer = IServer & Attributes<DataErphostServer, (typeof ATTRIBUTES)[number]>;

export interface ServerProps extends Omit<ServerConfig, Replaced | "name">, DeclaredProps {
  /** Name of the server; default: the construct's id, after the stage's prefix. */
  readonly name?: string;
}

/**
 * Declares a server. Applying it waits until the server is ready.
 * @example
 * const server = new Server(stack, "web", { properties: { region: "eu-central" } });
 * server.addInstance("erp", { version: "17.0" });
 * const found = Server.fromServerName(stack, "found", "erp-production");
 * new Instance(stack, "trial", { server: found });
 */
export class Server extends DeclaredNamed<ServerResource> implements IServer {
  readonly resource: ServerResource;

  constructor(scope: Construct, id: string, props: ServerProps = {}) {
    super(scope, id);
    this.resource = this.declare(ServerResource, {
      name: defaultName(this, id),
      ...withoutUndefined(props),
    });
  }

  /** Refers to an existing server by its id; makes no call. */
  static fromServerId(
    scope: Construct,
    id: string,
    serverId: string,
    options: LookupOptions = {},
  ): IServer {
    return existing(scope, id, { by: { serverId }, instead: "Or use fromServerName.", ...options });
  }

  /** Refers to an existing server by its name, which the plan looks up; several matches are an error. */
  static fromServerName(
    scope: Construct,
    id: string,
    name: string,
    options: LookupOptions = {},
  ): FoundServer {
    const instead = "Or use fromServerId.";
    const found = existing(scope, id, { by: { name }, instead, ...options });
    const data = new DataErphostServer(found, DEFAULT, { name, ...lookedUpBy(found) });
    return withAttributes(found, data, ATTRIBUTES, { serverId: data.id });
  }

  /** Refers to the one server that matches, which the plan looks up; none and several are errors. */
  static fromLookup(
    scope: Construct,
    id: string,
    selection: Selection<DataErphostServerConfig>,
    options: LookupOptions = {},
  ): FoundServer {
    const found = lookedUp(scope, id, { Source: DataErphostServer, selection, ...options });
    return withAttributes(found, found.data, ATTRIBUTES, { serverId: found.data.id });
  }

  /** The servers that match, newest first, which the plan looks up. */
  static lookupAll(
    scope: Construct,
    id: string,
    selection: Selection<DataErphostServersConfig> = {},
    options: LookupOptions = {},
  ): FoundAll<DataErphostServers> {
    const found = lookedUp(scope, id, { Source: DataErphostServers, selection, ...options });
    return Object.assign(found, { ids: idsIn(found.data, "servers") });
  }

  get serverId(): string {
    return this.resource.id;
  }

  /** `running` once it is ready. */
  get status(): string {
    return this.resource.status;
  }

  /** Declares an instance on this server, as a child of this construct and in its account. */
  addInstance(id: string, props: Omit<InstanceProps, "server"> = {}): Instance {
    return new Instance(this, id, { ...props, server: this });
  }

  /** Declares a backup of this server, as a child of this construct and in its account. */
  addBackup(id: string, props: BackupOptions = {}): Backup {
    return new Backup(this, id, { ...props, server: this });
  }
}
