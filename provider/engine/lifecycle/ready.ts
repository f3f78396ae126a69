/** Waiting until an object is ready, on walks that all waits share. */
import type { Core } from "../../client/api";
import type { ResourceName, ServiceRecord } from "../../contract";
import type { Clock } from "../../client/clock";
import { callOptions } from "../call-options";
import { pause } from "../pause";
import type { Context } from "../types";

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
    if (waitedMs >= timeoutMs || context.stop?.aborted)
      return { outcome: "timeout", record, waitedMs };
    const nextPauseMs = Math.min(pauseMs, timeoutMs - waitedMs);
    context.onNotice?.({
      kind: "progress",
      message: `${kind} ${record.id} is ${status}; waiting for ${ready.join(" or ")}`,
    });
    const stopped = await pauseUnlessStopped(clock, nextPauseMs, context);
    waitedMs += nextPauseMs;
    if (stopped) return { outcome: "timeout", record, waitedMs };
    // A walk that another wait began half a pause ago is new enough for this one.
    const snapshot = await core.snapshot(kind, {
      maxAgeMs: nextPauseMs / 2,
      ...callOptions(context),
    });
    record = snapshot.records.get(record.id) ?? record;
    pauseMs = Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MAX_MS);
  }
}

/** Whether the pause was cut short because the host stops. */
async function pauseUnlessStopped(clock: Clock, ms: number, context: Context): Promise<boolean> {
  const { signal, stop } = context;
  if (!stop) {
    await pause(clock, ms, signal);
    return false;
  }
  const either = signal ? AbortSignal.any([signal, stop]) : stop;
  await pause(clock, ms, either).catch((error: unknown) => {
    if (!stop.aborted) throw error;
  });
  return stop.aborted;
}
