/** Waiting until an object is ready, by looks at its list that all waits share. */
import type { ServiceRecord, Values } from "../../contract";
import { message } from "../../messages";
import { PartialFailure, reasonOf } from "../errors";
import { awaitedStates } from "../values/inputs";
import { lookAtAll, Wait } from "./awaited";
import type { Caller, Parts, Voice } from "./operation";
import type { State } from "../types";

const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 15_000;
const PAUSE_GROWTH = 1.6;

const NO_STATUS = "without a status";

/** For messages. */
export const statusOf = ({ fields: { status } }: ServiceRecord): string =>
  typeof status === "string" ? status : NO_STATUS;

export interface Waited {
  readonly outcome: "ready" | "failed" | "timeout";
  /** The newest that was seen. */
  readonly record: ServiceRecord;
  readonly waitedMs: number;
}

type Waiting = Caller &
  Voice &
  Parts<"options" | "settings" | "clock" | "ledger" | "at" | "awaited">;

/**
 * Waits until the status is a ready or a failed one. Only pauses count against the timeout, so
 * time spent at the quota gate does not. An object that a list does not show yet is waited for.
 */
export async function waitFor(
  op: Waiting,
  first: ServiceRecord,
  ready: readonly string[] = op.resource.states?.ready ?? [],
  timeoutMs = op.options.timeoutMs ?? op.settings.timeoutMs,
): Promise<Waited> {
  const { stop } = op.options;
  const { clock, ledger } = op;
  const ends = op.resource.states?.failed ?? [];
  const outcomeOf = (record: ServiceRecord) => {
    const { status } = record.fields;
    // An answer that leaves it out says nothing; where lists do so too, the service has none.
    if (typeof status !== "string") return record === first ? undefined : "ready";
    if (ready.includes(status)) return "ready";
    return ends.some((end) => status.endsWith(end)) ? "failed" : undefined;
  };
  const isOver = (record: ServiceRecord): boolean => outcomeOf(record) !== undefined;
  const wait = new Wait(first, clock.monotonicMs(), isOver);
  // What this process created is among the newest; everything else may be anywhere.
  const list = ledger.maker(op.at(first.id)) === undefined ? undefined : op.awaited;
  let pauseMs = FIRST_PAUSE_MS;
  let waitedMs = 0;
  list?.waits.add(wait);
  try {
    for (;;) {
      const { record } = wait;
      const outcome = outcomeOf(record);
      if (outcome) return { outcome, record, waitedMs };
      if (waitedMs >= timeoutMs || stop?.aborted) return { outcome: "timeout", record, waitedMs };
      const nextPauseMs = Math.min(pauseMs, timeoutMs - waitedMs);
      const status = statusOf(record);
      op.progress("waiting_until_ready", { subject: op.subject(record.id), status, ready });
      const begunAt = clock.monotonicMs();
      const isWhole = await pauseUnlessOver(op, nextPauseMs, wait.over.signal);
      waitedMs += isWhole ? nextPauseMs : Math.min(clock.monotonicMs() - begunAt, nextPauseMs);
      if (stop?.aborted) return { outcome: "timeout", record: wait.record, waitedMs };
      // What another wait asked half a pause ago is new enough for this one.
      if (list) await list.look(op, wait, nextPauseMs / 2);
      else await lookAtAll(op, [wait], nextPauseMs / 2);
      pauseMs = Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MAX_MS);
    }
  } finally {
    list?.waits.delete(wait);
  }
}

/** False where the pause was cut short, because the host stops or nothing is left to wait for. */
async function pauseUnlessOver(
  op: Parts<"options" | "pause">,
  ms: number,
  over: AbortSignal,
): Promise<boolean> {
  const isCut = (): boolean => over.aborted || op.options.stop?.aborted === true;
  await op.pause(ms, over).catch((error: unknown) => {
    if (!isCut()) throw error;
  });
  return !isCut();
}

/**
 * Waits where the kind has states and the program does not say otherwise; warns of a timeout. Of an
 * object that an update does not wait for, it only looks at what that answered.
 * @param prior the state before an update
 */
export async function waitUntilReady(
  op: Waiting,
  inputs: Values,
  record: ServiceRecord,
  prior?: State,
): Promise<Waited> {
  const states = awaitedStates(op, inputs);
  if (!states || states.ready.includes(String(record.fields["status"]))) {
    return { outcome: "ready", record, waitedMs: 0 };
  }
  const { ready, other } = states;
  const isWaitedFor = awaitedStates(op, inputs, prior) !== undefined;
  const subject = op.subject(record.id, inputs["name"]);
  try {
    const waited = await waitFor(op, record, ready, isWaitedFor ? undefined : 0);
    const { outcome, waitedMs } = waited;
    const status = statusOf(waited.record);
    const before = String(prior?.values["status"]);
    // A state that the service names as one to rest in is nothing to warn of, nor is none.
    const rests = status === NO_STATUS || (status === before && other.includes(status));
    if (outcome === "timeout" && isWaitedFor) {
      op.warn("not_ready", { subject, status, seconds: secondsOf(waitedMs), ready });
    } else if (outcome === "timeout" && !rests) {
      op.warn("not_awaited", { subject, before, status, ready });
    }
    return waited;
  } catch (error) {
    // The object exists: an error while watching it must not make an engine destroy it.
    op.warn("not_watched", { subject, reason: reasonOf(error) });
    return { outcome: "timeout", record, waitedMs: 0 };
  }
}

/** Tenths below ten seconds, so that a short wait is not called none. */
const secondsOf = (ms: number): number =>
  ms < 10_000 ? Math.ceil(ms / 100) / 10 : Math.round(ms / 1000);

/** A create of its kind, for which looks at what is awaited wait. */
export async function creating<T>(
  { awaited: { creates }, clock }: Parts<"awaited" | "clock">,
  create: () => Promise<T>,
): Promise<T> {
  const begunAt = clock.monotonicMs();
  creates.underWay += 1;
  try {
    return await create();
  } finally {
    creates.underWay -= 1;
    creates.answeredAt = clock.monotonicMs();
    creates.tookMs = creates.answeredAt - begunAt;
  }
}

export function failed(op: Voice, { record }: Waited, state: State): PartialFailure {
  const subject = op.subject(state.id, state.values["name"]);
  const reason = message("failed_state", { subject, status: String(record.fields["status"]) });
  const own = { ...state, private: { ...state.private, failed: true } };
  return new PartialFailure(own, reason, op.warnings);
}
