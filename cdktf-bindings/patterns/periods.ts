/** Time in periods of equal length. */
import { durationMs } from "../../provider/contract";
import { message, type Message } from "../../provider/messages";

/** From when, and until when, ISO 8601 in UTC. */
export interface Period {
  readonly from: string;
  readonly until: string;
}

/** How time is divided. */
interface Division {
  /** Length of a period: a duration such as `1d`. */
  readonly every: string;
  /** Beginning of any of them, ISO 8601. */
  readonly startingAt: string;
}

/** Backups cannot be deleted, so that more of them would only fill the service. */
const EVERY_MS_MIN = 3_600_000;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** The period that a time is in, or what is wrong with the division. */
export function periodAt(time: Date, { every, startingAt }: Division): Period | Message {
  // A program in JavaScript may leave it out.
  const lengthMs = durationMs(String(every));
  if (lengthMs === undefined || lengthMs < EVERY_MS_MIN) {
    return message("schedule_every", {}, { path: ["every"] });
  }
  const anchorMs = TIMESTAMP.test(startingAt) ? Date.parse(startingAt) : Number.NaN;
  if (Number.isNaN(anchorMs)) return message("schedule_start", {}, { path: ["startingAt"] });
  const nowMs = time.getTime();
  if (Number.isNaN(nowMs)) return message("schedule_now", {}, { path: ["now"] });
  const fromMs = anchorMs + Math.floor((nowMs - anchorMs) / lengthMs) * lengthMs;
  return { from: textOf(fromMs), until: textOf(fromMs + lengthMs) };
}

const textOf = (timeMs: number): string => new Date(timeMs).toISOString().replace(".000Z", "Z");
