/** Small questions about records that several operations ask. */
import type { Reading } from "../client/api";
import type { ResourceName, ServiceRecord } from "../contract";
import type { Kind } from "../resources";
import { callOptions } from "./call-options";
import { subject } from "./errors";
import type { Machine } from "./machine";
import type { Context, ReadResult, State } from "./types";

/** The newest of some records; of equally old ones the last, as lists keep the order of making. */
export const newest = (records: readonly ServiceRecord[]): ServiceRecord | undefined =>
  [...records]
    .sort((a, b) => String(a.fields["created_at"]).localeCompare(String(b.fields["created_at"])))
    .at(-1);

/** The status of an object that the service no longer keeps, and that the state does. */
export const EXPIRED = "expired";

/**
 * Reads the object that a state holds. An object that only expires is forgotten by
 * nobody and comes back by itself, so many of them at once are no mass.
 */
export function ask(
  machine: Machine,
  kind: Kind & { resource: ResourceName },
  { id: stateId, values }: State,
  id: string,
  context: Context,
): Promise<Reading> {
  const created = id === stateId ? values["created_at"] : undefined;
  const options = {
    maxAgeMs: machine.options.readMaxAgeMs,
    ...(typeof created === "string" && { createdAt: created }),
    ...callOptions(context),
  };
  const read = () => machine.core.read(kind.resource, id, options);
  return kind.reading.whenGone === "expire"
    ? read()
    : machine.mass.ask(kind, stateId, read, context.signal);
}

/** What a verdict of gone means for a kind. */
export function gone(kind: Kind, prior: State): ReadResult {
  const what = subject(kind.name, prior.id, prior.values["name"]);
  if (kind.reading.whenGone !== "expire") {
    return { state: undefined, warnings: [`${what} is gone: the service no longer lists it.`] };
  }
  const values = { ...prior.values, status: EXPIRED };
  const warnings =
    prior.values["status"] === EXPIRED
      ? []
      : [
          `${what} has expired: the service no longer keeps it. A change of its triggers takes a new one.`,
        ];
  return { state: { ...prior, values }, warnings };
}
