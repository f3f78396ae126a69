/** A list of servers. */
import type { TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { message } from "../../provider/messages";
import { joinAccount } from "../constructs/account";
import { withoutUndefined } from "../constructs/declared";
import { isKnownOnlyLater } from "../constructs/identity";
import { Server, type ServerProps } from "../constructs/server";
import { merged } from "../properties";
import { sentenceOf } from "../voice";

/** One server of a fleet: its name, or its props. */
export type FleetMember = string | FleetMemberProps;

/** Props of one server of a fleet. */
export interface FleetMemberProps extends ServerProps {
  readonly name: string;
  /** Id of its construct; default: its name, if that is known when the program runs. */
  readonly id?: string;
}

/** Props of a fleet. */
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
 *   servers: ["trial-1", { name: "trial-2", properties: { size: "large" } }],
 *   common: { properties: { region: "eu-central" } },
 * });
 */
export class ServerFleet extends Construct {
  /** By id, which is the name of those that have no other. */
  readonly servers: Readonly<Record<string, Server>>;

  constructor(scope: Construct, id: string, props: ServerFleetProps) {
    super(scope, id);
    joinAccount(this, props.provider);
    const servers = new Map<string, Server>();
    const twice = new Set<string>();
    for (const [index, member] of props.servers.entries()) {
      const { id: own, ...rest } = typeof member === "string" ? { name: member } : member;
      const key = own ?? rest.name;
      if (own === undefined) assertNameIsKnown(this, rest.name, index);
      if (servers.has(key)) twice.add(key);
      else servers.set(key, new Server(this, idOf(key), withCommon(props.common ?? {}, rest)));
    }
    this.servers = Object.fromEntries(servers);
    this.node.addValidation({
      validate: () =>
        [...twice].map((key) =>
          sentenceOf(message("fleet_id_twice", { id: key }, { path: ["servers"] })),
        ),
    });
  }
}

function withCommon(common: ServerProps, own: ServerProps): ServerProps {
  const properties = merged(common.properties, own.properties);
  const secretProperties = merged(common.secretProperties, own.secretProperties);
  return withoutUndefined({
    ...withoutUndefined(common),
    ...withoutUndefined(own),
    ...(properties && { properties }),
    // Strings, as both are.
    ...(secretProperties && { secretProperties: secretProperties as Record<string, string> }),
  });
}

/** A name is an id here, and an id that changes from run to run would replace the server. */
function assertNameIsKnown(fleet: Construct, name: string, index: number): void {
  if (!isKnownOnlyLater(name)) return;
  const fault = message("fleet_name_unknown", {}, { path: ["servers", index] });
  throw new Error(`[${fleet.node.path}] ${sentenceOf(fault)}`);
}

/** A slash separates the parts of a path, and an empty id means the parent construct. */
const idOf = (name: string): string =>
  name === "" ? "(no name)" : name.replace(/[%/]/g, encodeURIComponent);
