import { Fn, Token } from "cdktf";
import type { Construct } from "constructs";
import { DataErphostTeam, type DataErphostTeamConfig } from "../generated/data-erphost-team";
import { DataErphostTeams, type DataErphostTeamsConfig } from "../generated/data-erphost-teams";
import { Team as TeamResource, type TeamConfig, type TeamMembers } from "../generated/team";
import { DeclaredNamed, DEFAULT, withoutUndefined } from "./declared";
import type { DeclaredProps, Replaced } from "./declared";
import { existing, idsIn, lookedUp, lookedUpBy, withAttributes } from "./existing";
import type { Attributes, FoundAll, LookupOptions, Selection } from "./existing";
import { defaultName } from "./identity";
import type { ITeam } from "./interfaces";

const ATTRIBUTES = ["name", "members", "createdAt", "properties"] as const;

/** A team that a lookup has found, with its attributes. */
export type FoundTeam = ITeam & Attributes<DataErphostTeam, (typeof ATTRIBUTES)[number]>;

/** A member of a team. */
export type TeamMember = TeamMembers;

export interface TeamProps extends Omit<TeamConfig, Replaced | "name">, DeclaredProps {
  /** Name of the team; default: the construct's id, after the stage's prefix. */
  readonly name?: string;
}

/**
 * Declares a team. The service cannot delete teams: one that is no longer declared is retained there.
 * @example
 * new Team(stack, "operations", { members: [{ email: "ada@example.com", role: "admin" }] });
 */
export class Team extends DeclaredNamed<TeamResource> implements ITeam {
  readonly resource: TeamResource;

  constructor(scope: Construct, id: string, props: TeamProps = {}) {
    super(scope, id);
    this.resource = this.declare(TeamResource, {
      name: defaultName(this, id),
      ...withoutUndefined(props),
    });
  }

  /** Refers to an existing team by its id; makes no call. */
  static fromTeamId(
    scope: Construct,
    id: string,
    teamId: string,
    options: LookupOptions = {},
  ): ITeam {
    return existing(scope, id, { by: { teamId }, instead: "Or use fromTeamName.", ...options });
  }

  /** Refers to an existing team by its name, which the plan looks up; several matches are an error. */
  static fromTeamName(
    scope: Construct,
    id: string,
    name: string,
    options: LookupOptions = {},
  ): FoundTeam {
    const found = existing(scope, id, { by: { name }, instead: "Or use fromTeamId.", ...options });
    const data = new DataErphostTeam(found, DEFAULT, { name, ...lookedUpBy(found) });
    return withAttributes(found, data, ATTRIBUTES, { teamId: data.id });
  }

  /** Refers to the one team that matches, which the plan looks up; none and several are errors. */
  static fromLookup(
    scope: Construct,
    id: string,
    selection: Selection<DataErphostTeamConfig>,
    options: LookupOptions = {},
  ): FoundTeam {
    const found = lookedUp(scope, id, { Source: DataErphostTeam, selection, ...options });
    return withAttributes(found, found.data, ATTRIBUTES, { teamId: found.data.id });
  }

  /** The teams that match, newest first, which the plan looks up. */
  static lookupAll(
    scope: Construct,
    id: string,
    selection: Selection<DataErphostTeamsConfig> = {},
    options: LookupOptions = {},
  ): FoundAll<DataErphostTeams> {
    const found = lookedUp(scope, id, { Source: DataErphostTeams, selection, ...options });
    return Object.assign(found, { ids: idsIn(found.data, "teams") });
  }

  /** Declares one more member. */
  addMember(member: TeamMember): void {
    const given = this.resource.membersInput ?? [];
    this.resource.putMembers(
      Array.isArray(given) ? [...given, member] : Token.asAny(Fn.concat([given, [member]])),
    );
  }

  get teamId(): string {
    return this.resource.id;
  }
}
