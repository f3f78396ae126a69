import type { TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { message } from "../../provider/messages";
import { joinAccount } from "../constructs/account";
import type { Backup, BackupOptions } from "../constructs/backup";
import { withoutUndefined } from "../constructs/declared";
import { defaultName } from "../constructs/identity";
import { Instance, type InstanceProps } from "../constructs/instance";
import type { IServer } from "../constructs/interfaces.gen";
import { Server, type ServerProps } from "../constructs/server";
import { Team, type TeamProps } from "../constructs/team";
import { sentenceOf } from "../voice";

export interface ErpInstallationProps<S extends IServer = IServer> {
  /** First part of every name in it; default: the construct's id, after the stage's prefix. */
  readonly name?: string;
  /** Release number, such as `17.0`. */
  readonly version?: string;
  /** Edition name, such as `community`. */
  readonly edition?: string;
  /** Server that it runs on; default: a new one. */
  readonly server?: S;
  /** Further props of the new server; not together with `server`. */
  readonly serverProps?: ServerProps;
  /** Further props of the instance. */
  readonly instanceProps?: Partial<Omit<InstanceProps, "server" | "version" | "edition">>;
  /** Further props of the first backup. */
  readonly backupProps?: BackupOptions;
  /** Members of the team that operates it; default: no team. */
  readonly members?: TeamProps["members"];
  /** Further props of the team; only together with `members`. */
  readonly teamProps?: Omit<TeamProps, "members">;
  /** Provider of the account that all of it is in; default: that of the construct above. */
  readonly provider?: TerraformProvider;
}

/**
 * A server, an instance on it, its first backup, and a team.
 * @example
 * new ErpInstallation(stack, "production", {
 *   version: "17.0",
 *   members: [{ email: "ada@example.com", role: "admin" }],
 * });
 */
export class ErpInstallation<S extends IServer = Server> extends Construct {
  /** The new server, or the one that was given. */
  readonly server: S;
  readonly instance: Instance;
  /** Taken once, as soon as the instance is ready. */
  readonly firstBackup: Backup;
  readonly team: Team | undefined;

  constructor(scope: Construct, id: string, props: ErpInstallationProps<S> = {}) {
    super(scope, id);
    const given = withoutUndefined(props);
    const { name = defaultName(this, id), version, edition, members } = given;
    joinAccount(this, given.provider);
    this.node.addValidation({ validate: () => withoutEffect(given) });
    const server: IServer =
      given.server ??
      new Server(this, "Server", { name, ...withoutUndefined(given.serverProps ?? {}) });
    // Without one in the props, the type parameter keeps its default.
    this.server = server as S;
    this.instance = new Instance(this, "Instance", {
      name,
      ...withoutUndefined(given.instanceProps ?? {}),
      ...(version !== undefined && { version }),
      ...(edition !== undefined && { edition }),
      server,
    });
    this.firstBackup = this.instance.addBackup("First", given.backupProps);
    this.team =
      members &&
      new Team(this, "Team", {
        name: `${name}-operations`,
        ...withoutUndefined(given.teamProps ?? {}),
        members,
      });
  }

  /** The first backup's address in Terraform: what depends on it comes after server and instance, too. */
  get fqn(): string {
    return this.firstBackup.fqn;
  }
}

/** Props of what is not created. */
function withoutEffect(props: ErpInstallationProps): string[] {
  const { server, serverProps, members, teamProps } = props;
  return [
    ...(server && serverProps ? [{ props: "serverProps", because: "server is set" }] : []),
    ...(teamProps && !members ? [{ props: "teamProps", because: "members is not set" }] : []),
  ].map((parts) => sentenceOf(message("props_without_effect", parts)));
}
