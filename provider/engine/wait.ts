/** Waiting until an object is ready, on walks that all waits share. */
import type { Core } from "../client/api";
import type { ResourceName, ServiceRecord } from "../contract";
import type { Clock } from "../client/clock";
import { pause } from "./pause";
import type { Context } from "./types";

const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 15_000;
const PAUSE_GROWTH = 1.6;

export interface Awaited {
  readonly outcome: "ready" | "failed" | "timeout";
  /** The newest that was seen. */
  readonly record: ServiceRecord;
  readonly waitedMs: number;
}

export interface WaitOptions {
  readonly ready: readonly string[];
  readonly failed: readonly string[];
  readonly timeoutMs: number;
  readonly context: Context;
}

/**
 * Waits until the status is a ready or a failed one. Only pauses count against the timeout, so
 * time spent at the quota gate does not. An object that a list does not show yet is waited for.
 */
export async function waitReady(
  core: Core,
  clock: Clock,
  kind: ResourceName,
  first: ServiceRecord,
  { ready, failed, timeoutMs, context }: WaitOptions,
): Promise<Awaited> {
  let record = first;
  let pauseMs = FIRST_PAUSE_MS;
  let waitedMs = 0;
  for (;;) {
    const status = record.fields["status"];
    if (typeof status !== "string") return { outcome: "ready", record, waitedMs };
    if (ready.includes(status)) return { outcome: "ready", record, waitedMs };
    if (failed.some((end) => status === end || status.endsWith(end))) {
      return { outcome: "failed", record, waitedMs };
    }
    if (waitedMs >= timeoutMs) return { outcome: "timeout", record, waitedMs };
    const nextPauseMs = Math.min(pauseMs, timeoutMs - waitedMs);
    context.onNotice?.({
      kind: "progress",
      message: `${kind} ${record.id} is ${status}; waiting for ${ready.join(" or ")}`,
    });
    await pause(clock, nextPauseMs, context.signal);
    waitedMs += nextPauseMs;
    // A walk that another wait began half a pause ago is new enough for this one.
    const snapshot = await core.snapshot(kind, {
      maxAgeMs: nextPauseMs / 2,
      ...(context.signal && { signal: context.signal }),
    });
    record = snapshot.records.get(record.id) ?? record;
    pauseMs = Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MAX_MS);
  }
}
