/** Everything that an ERP installation needs. */
import { Construct } from "constructs";
import type { Backup } from "../constructs/backup";
import { withoutUndefined } from "../constructs/declared";
import { Instance, type InstanceProps } from "../constructs/instance";
import type { IServer } from "../constructs/interfaces";
import { Server, type ServerProps } from "../constructs/server";
import { Team, type TeamProps } from "../constructs/team";

/** Props of an installation. */
export interface ErpInstallationProps {
  /** First part of every name in it; default: the construct's id. */
  readonly name?: string;
  /** Release number, such as `17.0`. */
  readonly version?: string;
  /** Edition name, such as `community`. */
  readonly edition?: string;
  /** Server that it runs on; default: a new one. */
  readonly server?: IServer;
  /** Further props of the new server; not together with `server`. */
  readonly serverProps?: ServerProps;
  /** Further props of the instance. */
  readonly instanceProps?: Partial<Omit<InstanceProps, "server" | "version" | "edition">>;
  /** Members of the team that operates it; default: no team. */
  readonly members?: TeamProps["members"];
}

/**
 * A server, an instance on it, its first backup, and a team.
 * @example
 * new ErpInstallation(stack, "production", {
 *   version: "17.0",
 *   members: [{ email: "ada@example.com", role: "admin" }],
 * });
 */
export class ErpInstallation extends Construct {
  readonly server: IServer;
  readonly instance: Instance;
  /** Taken once, as soon as the instance is ready. */
  readonly firstBackup: Backup;
  readonly team: Team | undefined;

  constructor(scope: Construct, id: string, props: ErpInstallationProps = {}) {
    super(scope, id);
    const { name = id, version, edition, members } = props;
    if (props.server && props.serverProps) {
      this.node.addValidation({
        validate: () => [
          "serverProps configure a new server, but server is set. Remove one of the two.",
        ],
      });
    }
    this.server =
      props.server ??
      new Server(this, "Server", { name, ...withoutUndefined(props.serverProps ?? {}) });
    this.instance = new Instance(this, "Instance", {
      name,
      ...withoutUndefined(props.instanceProps ?? {}),
      ...(version !== undefined && { version }),
      ...(edition !== undefined && { edition }),
      server: this.server,
    });
    this.firstBackup = this.instance.addBackup("First");
    this.team = members && new Team(this, "Team", { name: `${name}-operations`, members });
  }
}
