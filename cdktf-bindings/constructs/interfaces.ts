/** References between constructs, to objects declared in this program or elsewhere. */
import type { IConstruct } from "constructs";

/** A server, declared here or elsewhere. */
export interface IServer extends IConstruct {
  /** Its id, known once it has been created. */
  readonly serverId: string;
}

/** An installation of the ERP application, declared here or elsewhere. */
export interface IInstance extends IConstruct {
  /** Its id, known once it has been created. */
  readonly instanceId: string;
}

/** A backup, declared here or elsewhere. */
export interface IBackup extends IConstruct {
  /** Its id, known once it has been created. */
  readonly backupId: string;
}

/** A team, declared here or elsewhere. */
export interface ITeam extends IConstruct {
  /** Its id, known once it has been created. */
  readonly teamId: string;
}

/** An API key, declared here or elsewhere. */
export interface IApiKey extends IConstruct {
  /** Id of the first key of its line, which rotations do not change. */
  readonly apiKeyId: string;
}
