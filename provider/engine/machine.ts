/** What all operations of the engine share: made once per process. */
import type { Core } from "../client/api";
import { isRecord, type Values } from "../contract";
import type { Kind } from "../resources";
import type { Clock } from "../client/clock";
import type { IdGuard, RotatorGuard } from "./guards/guards";
import type { Intent, Intents } from "./intents/store";
import type { MassGuard } from "./guards/mass";
import type { ServiceTime } from "./intents/service-time";
import type { EngineOptions, State } from "./types";

/** What this process has heard of an identity: whether a state exists, and which id it has. */
export interface Heard {
  prior?: boolean;
  liveId?: string;
  /** Interrupted creates that were answered; the host holds the one that it will delete. */
  suspects?: Intent[];
}

export interface Machine {
  readonly core: Core;
  readonly clock: Clock;
  readonly options: EngineOptions;
  readonly intents: Intents;
  readonly ids: IdGuard;
  readonly time: ServiceTime;
  readonly mass: MassGuard;
  readonly rotators: RotatorGuard;
  readonly heard: Map<string, Heard>;
  /** Random, unguessable. */
  uuid(): string;
  nonce(): Buffer;
  /** The key in use, to seal intents under; follows a self-rotation. */
  apiKey: string;
  /** How a person imports an object, in the face's own words. */
  importHint(kind: Kind, id: string): string;
}

/** What this process has heard of an identity; made when first asked for. */
export function heardOf(machine: Machine, identity: string | undefined): Heard {
  if (identity === undefined) return {};
  let heard = machine.heard.get(identity);
  if (!heard) machine.heard.set(identity, (heard = {}));
  return heard;
}

/** Both bags of free fields as one. */
export const freeFields = (inputs: Values): Record<string, unknown> => ({
  ...(isRecord(inputs["properties"]) && inputs["properties"]),
  ...(isRecord(inputs["secret_properties"]) && inputs["secret_properties"]),
});

/** Inputs that the service is sent, without the free ones. */
export const serviceFields = (kind: Kind, inputs: Values): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(inputs).filter(([name]) => kind.fields[name]?.origin === "service"),
  );

/** Everything that a body made of these inputs holds, as `afterWrite` names it. */
export const sentPaths = (kind: Kind, inputs: Values): Set<string> =>
  new Set([
    ...Object.keys(serviceFields(kind, inputs)),
    ...["properties", "secret_properties"].flatMap((bag) => {
      const map = inputs[bag];
      return isRecord(map) ? Object.keys(map).map((key) => `${bag}.${key}`) : [];
    }),
  ]);

/** The engine knows this object: what led to it is done with. */
export async function mention(
  machine: Machine,
  kind: Kind,
  { id, values }: Pick<State, "id"> & Partial<Pick<State, "values">>,
  identity: string | undefined,
): Promise<void> {
  machine.ids.mention(kind.name, id);
  machine.mass.mention(kind.name, id);
  heardOf(machine, identity).liveId = id;
  const current = values?.["current_key_id"];
  const ids = typeof current === "string" ? [id, current] : [id];
  await Promise.all(ids.map((known) => machine.intents.mention(kind.name, known)));
}
