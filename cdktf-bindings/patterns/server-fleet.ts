import type { TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { joinAccount } from "../constructs/account";
import { withoutUndefined } from "../constructs/declared";
import { Server, type ServerProps } from "../constructs/server";
import { membersOf, withCommon } from "./members";

/** One server of a fleet: its name, or its props. */
export type FleetMember = string | FleetMemberProps;

export interface FleetMemberProps extends ServerProps {
  /** Name of the server, as it is; default: its id, after the stage's prefix. */
  readonly name?: string;
  /** Id of its construct; default: its name, if that is known when the program runs. */
  readonly id?: string;
}

export interface ServerFleetProps {
  /** In any order; ids are unique. */
  readonly servers: readonly FleetMember[];
  /** Props that all servers share; a member's own props win, of properties key by key. */
  readonly common?: Omit<ServerProps, "name" | "idempotencyToken">;
  /** Provider of the account that all of them are in; default: that of the construct above. */
  readonly provider?: TerraformProvider;
}

/**
 * One server per member. Each is declared under its id, which is its name unless it has another,
 * rather than its position, so removing one from the middle of the list does not affect the others.
 * @example
 * new ServerFleet(stack, "trials", {
 *   servers: ["trial-1", { id: "trial-2", properties: { size: "large" } }],
 *   common: { properties: { region: "eu-central" } },
 * });
 */
export class ServerFleet extends Construct {
  /** By id, which is the name of those that have no other. */
  readonly servers: Readonly<Record<string, Server>>;

  constructor(scope: Construct, id: string, props: ServerFleetProps) {
    super(scope, id);
    // In JavaScript the props may be missing.
    const { servers, common = {}, provider }: Partial<ServerFleetProps> = withoutUndefined(props);
    joinAccount(this, provider);
    this.servers = Object.fromEntries(
      membersOf(this, "servers", servers).map(({ key, id: own, props: given }) => [
        key,
        new Server(this, own, withCommon(common, given)),
      ]),
    );
  }
}
