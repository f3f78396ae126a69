/** What constructs take of each other: a reference, wherever the object is declared. */
import type { IConstruct } from "constructs";

/** A server, declared here or found. */
export interface IServer extends IConstruct {
  /** Its id, known when it has been created. */
  readonly serverId: string;
}

/** An installation of the ERP application, declared here or found. */
export interface IInstance extends IConstruct {
  /** Its id, known when it has been created. */
  readonly instanceId: string;
}

/** A backup, declared here or found. */
export interface IBackup extends IConstruct {
  /** Its id, known when it has been created. */
  readonly backupId: string;
}

/** A team, declared here or found. */
export interface ITeam extends IConstruct {
  /** Its id, known when it has been created. */
  readonly teamId: string;
}

/** An API key, declared here or found. */
export interface IApiKey extends IConstruct {
  /** Id of the first key of its line, which stays through rotations. */
  readonly apiKeyId: string;
}
