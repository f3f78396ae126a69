import { Fn, Token } from "cdktf";
import type { Construct } from "constructs";
import { Team as TeamResource, type TeamConfig, type TeamMembers } from "../generated/team";
import { withoutUndefined, type NamedProps, type Replaced } from "./declared";
import { defaultName } from "./identity";
import { TeamLookups } from "./lookups.gen";

/** A member of a team. */
export type TeamMember = TeamMembers;

export interface TeamProps extends Omit<TeamConfig, Replaced | "name">, NamedProps {}

/**
 * Declares a team. The service cannot delete teams: one that is no longer declared is retained there.
 * @example
 * new Team(stack, "operations", { members: [{ email: "ada@example.com", role: "admin" }] });
 */
export class Team extends TeamLookups {
  readonly resource: TeamResource;

  constructor(scope: Construct, id: string, props: TeamProps = {}) {
    super(scope, id);
    this.resource = this.declare(TeamResource, {
      name: defaultName(this, id),
      ...withoutUndefined(props),
    });
  }

  /** Declares one more member. */
  addMember(member: TeamMember): void {
    const given = this.resource.membersInput ?? [];
    this.resource.putMembers(
      Array.isArray(given) ? [...given, member] : Token.asAny(Fn.concat([given, [member]])),
    );
  }
}
