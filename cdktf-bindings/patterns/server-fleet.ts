/** Many servers from a list. */
import { Construct } from "constructs";
import { given } from "../construct";
import { Server, type ServerProps } from "../server";

/** One server of a fleet: its name, or more. */
export type FleetMember = string | (ServerProps & { readonly name: string });

/** What a fleet takes. */
export interface ServerFleetProps {
  /** In any order, one per name. */
  readonly servers: readonly FleetMember[];
  /** What all have; a member's own props win. */
  readonly common?: Omit<ServerProps, "name" | "idempotencyToken">;
}

/**
 * A server per member. Each is declared under its name and not under its place in the list, so that
 * taking one out of the middle changes nothing about the others.
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
    const twice = new Set<string>();
    for (const member of props.servers) {
      const own = typeof member === "string" ? { name: member } : member;
      if (servers.has(own.name)) twice.add(own.name);
      else
        servers.set(own.name, new Server(this, idOf(own.name), { ...props.common, ...given(own) }));
    }
    this.servers = Object.fromEntries(servers);
    this.node.addValidation({
      validate: () =>
        [...twice].map((name) => `servers has ${name} twice. Keep one, or give it another name.`),
    });
  }
}

/** A slash separates the parts of a path, and an empty id means the construct above. */
const idOf = (name: string): string => (name === "" ? "(no name)" : name.replaceAll("/", "--"));
