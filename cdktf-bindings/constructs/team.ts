/** A team and its members. */
import type { Construct } from "constructs";
import { DataErphostTeam } from "../generated/data-erphost-team";
import { Team as TeamResource, type TeamConfig } from "../generated/team";
import { Declared, RESOURCE, withoutUndefined, type Unsupported } from "./declared";
import { existing } from "./existing";
import type { ITeam } from "./interfaces";

/** Props of a team. */
export interface TeamProps extends Omit<TeamConfig, Unsupported | "name"> {
  /** Name of the team; default: the construct's id. */
  readonly name?: string;
}

/**
 * Declares a team. The service cannot delete teams: one that is no longer declared is retained there.
 * @example
 * new Team(stack, "operations", { members: [{ email: "ada@example.com", role: "admin" }] });
 */
export class Team extends Declared<TeamResource> implements ITeam {
  readonly resource: TeamResource;

  constructor(scope: Construct, id: string, props: TeamProps = {}) {
    super(scope, id);
    this.resource = this.declare(TeamResource, {
      name: id,
      ...withoutUndefined(props),
    });
  }

  /** Refers to an existing team by its id; makes no call. */
  static fromTeamId(scope: Construct, id: string, teamId: string): ITeam {
    return existing(scope, id, { teamId }, "Or use fromTeamName.");
  }

  /** Refers to an existing team by its name, which the plan looks up; several matches are an error. */
  static fromTeamName(scope: Construct, id: string, name: string): ITeam {
    const found = existing(scope, id, { name }, "Or use fromTeamId.");
    return Object.assign(found, { teamId: new DataErphostTeam(found, RESOURCE, { name }).id });
  }

  get teamId(): string {
    return this.resource.id;
  }
}
