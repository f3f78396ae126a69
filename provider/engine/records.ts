/** Small questions about records that several operations ask. */
import type { ServiceRecord } from "../contract";
import type { Kind } from "../resources";
import { subject } from "./errors";
import type { Machine } from "./machine";
import type { Context, ReadResult, State } from "./types";

/** The newest of some records. */
export const newest = (records: readonly ServiceRecord[]): ServiceRecord | undefined =>
  [...records].sort((a, b) =>
    String(b.fields["created_at"]).localeCompare(String(a.fields["created_at"])),
  )[0];

/** What of a context goes with every call. */
export const callOptions = (context: Context) => ({
  ...(context.signal && { signal: context.signal }),
  ...(context.onNotice && { onNotice: context.onNotice }),
});

/** What a verdict of gone means for a kind. */
export function gone(machine: Machine, kind: Kind, prior: State): ReadResult {
  machine.mass.verdict(kind, prior.id);
  const what = subject(kind.name, prior.id, prior.values["name"]);
  if (kind.reading.whenGone !== "expire") {
    return { state: undefined, warnings: [`${what} is gone: the service no longer lists it.`] };
  }
  const values = { ...prior.values, status: "expired" };
  const warnings =
    prior.values["status"] === "expired"
      ? []
      : [
          `${what} has expired: the service no longer keeps it. A change of its triggers takes a new one.`,
        ];
  return { state: { ...prior, values }, warnings };
}
