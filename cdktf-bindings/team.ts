/** A team and its members. */
import type { Construct } from "constructs";
import type { Values } from "../provider/contract";
import { Declared, Existing, given, RESOURCE, type NotTaken } from "./construct";
import { DataErphostTeam } from "./generated/data-erphost-team";
import { Team as TeamResource, type TeamConfig } from "./generated/team";
import type { ITeam } from "./interfaces";

/** What a team takes. */
export interface TeamProps extends Omit<TeamConfig, NotTaken | "name"> {
  /** Name of the team; default: the construct's id. */
  readonly name?: string;
}

/**
 * Declares a team. The service offers no delete: one that is no longer declared is retained there.
 * @example
 * new Team(stack, "operations", { members: [{ email: "ada@example.com", role: "admin" }] });
 */
export class Team extends Declared<TeamResource> implements ITeam {
  readonly resource: TeamResource;

  constructor(scope: Construct, id: string, props: TeamProps = {}) {
    super(scope, id);
    this.resource = this.declare(
      "team",
      () =>
        new Rendered(this, RESOURCE, {
          name: id,
          ...given(props),
          ...this.identity(props.idempotencyToken),
        }),
    );
  }

  /** A team that exists, by its id; nothing is asked of the service. */
  static fromTeamId(scope: Construct, id: string, teamId: string): ITeam {
    return new TeamOfId(scope, id, teamId);
  }

  /** A team that exists, found by its name while planning; several of that name are an error. */
  static fromTeamName(scope: Construct, id: string, name: string): ITeam {
    return new TeamOfName(scope, id, name);
  }

  get teamId(): string {
    return this.resource.id;
  }
}

class TeamOfId extends Existing implements ITeam {
  readonly teamId: string;

  constructor(scope: Construct, id: string, teamId: string) {
    super(scope, id);
    this.teamId = this.given("teamId", teamId, "Or use fromTeamName.");
  }
}

class TeamOfName extends Existing implements ITeam {
  private readonly found: DataErphostTeam;

  constructor(scope: Construct, id: string, name: string) {
    super(scope, id);
    this.found = new DataErphostTeam(this, RESOURCE, {
      name: this.given("name", name, "Or use fromTeamId."),
    });
  }

  get teamId(): string {
    return this.found.id;
  }
}

class Rendered extends TeamResource {
  protected override synthesizeAttributes(): Values {
    return given(super.synthesizeAttributes());
  }
}
