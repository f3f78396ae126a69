/** Answers Pulumi's calls; loaded once the plugin listens, as Pulumi takes a moment to connect. */
import type { Surroundings } from "../../engine";
import type { Unary } from "../../grpc";
import type { Host } from "./host";
import { methodsOf } from "./methods/table";
import { renderSchema } from "./schema/render";
import { Session } from "./session";
import { packageVersion, release } from "./version";

const SERVICE = "/pulumirpc.ResourceProvider/";

export interface Provider {
  readonly session: Session;
  /** By path. */
  readonly methods: ReadonlyMap<string, Unary>;
}

/** @public Loaded by name, once the plugin listens. */
export function openProvider(host: Host, surroundings: Surroundings): Provider {
  const session = new Session(host, surroundings);
  const methods = methodsOf(session, {
    version: packageVersion,
    schema: () => JSON.stringify(renderSchema(release)),
  });
  return {
    session,
    methods: new Map(
      Object.entries(methods).map(([name, method]) => [`${SERVICE}${name}`, method]),
    ),
  };
}
