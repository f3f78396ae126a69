/** All that an ERP installation needs. */
import { Construct } from "constructs";
import type { Backup } from "../backup";
import { given } from "../construct";
import { Instance, type InstanceProps } from "../instance";
import type { IServer } from "../interfaces";
import { Server, type ServerProps } from "../server";
import { Team, type TeamProps } from "../team";

/** What an installation takes. */
export interface ErpInstallationProps {
  /** Begins the name of everything in it; default: the construct's id. */
  readonly name?: string;
  /** Release number, such as `17.0`. */
  readonly version?: string;
  /** Edition name, such as `community`. */
  readonly edition?: string;
  /** Server that it runs on; default: one of its own. */
  readonly server?: IServer;
  /** More about its own server; not with `server`. */
  readonly serverProps?: ServerProps;
  /** More about the instance. */
  readonly instanceProps?: Partial<Omit<InstanceProps, "server" | "version" | "edition">>;
  /** Who looks after it; default: no team. */
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
  /** Taken once, when the instance is ready. */
  readonly firstBackup: Backup;
  readonly team: Team | undefined;

  constructor(scope: Construct, id: string, props: ErpInstallationProps = {}) {
    super(scope, id);
    const { name = id, version, edition, members } = props;
    if (props.server && props.serverProps) {
      this.node.addValidation({
        validate: () => [
          "serverProps are of a server of its own, and server is given. Leave one of the two out.",
        ],
      });
    }
    this.server =
      props.server ?? new Server(this, "Server", { name, ...given(props.serverProps ?? {}) });
    this.instance = new Instance(this, "Instance", {
      name,
      ...given(props.instanceProps ?? {}),
      ...(version !== undefined && { version }),
      ...(edition !== undefined && { edition }),
      server: this.server,
    });
    this.firstBackup = this.instance.addBackup("First");
    this.team = members && new Team(this, "Team", { name: `${name}-operations`, members });
  }
}
