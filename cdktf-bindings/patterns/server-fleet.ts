/** A list of servers. */
import { Construct } from "constructs";
import { withoutUndefined } from "../constructs/declared";
import { Server, type ServerProps } from "../constructs/server";

/** One server of a fleet: its name, or its props. */
export type FleetMember = string | (ServerProps & { readonly name: string });

/** Props of a fleet. */
export interface ServerFleetProps {
  /** In any order; names are unique. */
  readonly servers: readonly FleetMember[];
  /** Props that all servers share; a member's own props win. */
  readonly common?: Omit<ServerProps, "name" | "idempotencyToken">;
}

/**
 * One server per member. Each is declared under its name rather than its position, so removing one
 * from the middle of the list does not affect the others.
 * @example
 * new ServerFleet(stack, "trials", {
 *   servers: ["trial-1", { name: "trial-2", properties: { region: "us-east" } }],
 *   common: { properties: { region: "eu-central" } },
 * });
 */
export class ServerFleet extends Construct {
  /** By name. */
  readonly servers: Readonly<Record<string, Server>>;

  constructor(scope: Construct, id: string, props: ServerFleetProps) {
    super(scope, id);
    const servers = new Map<string, Server>();
    const duplicates = new Set<string>();
    for (const member of props.servers) {
      const own = typeof member === "string" ? { name: member } : member;
      if (servers.has(own.name)) duplicates.add(own.name);
      else
        servers.set(
          own.name,
          new Server(this, idOf(own.name), { ...props.common, ...withoutUndefined(own) }),
        );
    }
    this.servers = Object.fromEntries(servers);
    this.node.addValidation({
      validate: () =>
        [...duplicates].map(
          (name) => `servers lists ${name} more than once. Remove or rename one of them.`,
        ),
    });
  }
}

/** A slash separates the parts of a path, and an empty id means the parent construct. */
const idOf = (name: string): string => (name === "" ? "(no name)" : name.replaceAll("/", "--"));
