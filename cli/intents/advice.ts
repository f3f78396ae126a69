/** What became of an interrupted create or rotation, and what to do about it. Pure. */
import type { Contract, ServiceRecord } from "../../provider/contract";
import { isNear, isReplayable, type IntentEntry } from "../../provider/engine";
import { noun, visible } from "../../provider/messages";

/** The verdict on an intent. */
export interface Advice {
  readonly verdict: "exists" | "gone" | "likely" | "unclear" | "nothing";
  /** Objects that the request may have created. */
  readonly ids: readonly string[];
  /** Sentences: first what happened, then what to do. */
  readonly lines: readonly string[];
}

/** What the service shows: all objects of the kind of the intent, or the one that it names. */
export interface Seen {
  readonly records: readonly ServiceRecord[];
  /** Why there may be more; undefined where there is certainly no more. */
  readonly gap?: string | undefined;
}

/** An intent with what it is judged by. */
interface Case {
  readonly entry: IntentEntry;
  readonly seen: Seen;
  readonly contract: Contract;
  readonly nowMs: number;
}

/** A key that was created this long before a rotation, by our clock, may still come from it. */
const CLOCK_SKEW_MS = 10 * 60_000;

const REPLAY =
  "Run the program again: it repeats the request with the same idempotency key and takes the object in the answer.";

/** `server erp`, or for a rotation `API key key_1`. */
export const subjectOf = ({ kind, name, target }: IntentEntry): string =>
  visible([noun(kind), name ?? target].filter((word) => word !== undefined).join(" "));

/** Judges an intent by the objects that exist now. */
export function adviceFor(intent: Case): Advice {
  const { gap } = intent.seen;
  const advice = byRecords(intent);
  if (advice.ids.length > 0 || gap === undefined) return advice;
  const lines = ["What became of it is unclear, so keep the intent for now.", gap];
  return { verdict: "unclear", ids: [], lines };
}

function byRecords(intent: Case): Advice {
  if (intent.entry.operation === "rotate") return forRotation(intent);
  const { answer } = intent.entry;
  return answer === undefined ? forUnanswered(intent) : forAnswered(intent, answer);
}

const dropCommand = ({ id }: IntentEntry): string => `erphost intents drop ${id}`;

function forAnswered({ entry, seen: { records } }: Case, answer: string): Advice {
  const subject = `${noun(entry.kind)} ${answer}`;
  if (!records.some(({ id }) => id === answer)) {
    return {
      verdict: "gone",
      ids: [],
      lines: [
        `The request created ${subject}, which no longer exists.`,
        `There is nothing to recover. Drop the intent: ${dropCommand(entry)}`,
      ],
    };
  }
  return {
    verdict: "exists",
    ids: [answer],
    lines: [
      `The request created ${subject}, which exists.`,
      "Run the program again: it adopts this object instead of creating another one.",
      `If ${answer} is already in your state, or you import it, drop the intent: ${dropCommand(entry)}`,
    ],
  };
}

function forUnanswered(intent: Case): Advice {
  const { entry, seen } = intent;
  const subject = subjectOf(entry);
  const ids = seen.records.filter((record) => isNear(entry, record)).map(({ id }) => id);
  const [only, ...more] = ids;
  if (only === undefined) {
    return {
      verdict: "nothing",
      ids,
      lines: [
        `No ${subject} was created around that time: the request never arrived, or the object has been deleted.`,
        `Run the program again, or drop the intent: ${dropCommand(entry)}`,
      ],
    };
  }
  if (more.length === 0) {
    return {
      verdict: "likely",
      ids,
      lines: [
        `One ${subject} was created around that time: ${only}. Most likely this request created it.`,
        isInWindow(intent) ? REPLAY : "Run the program again: it adopts this object and says so.",
      ],
    };
  }
  return {
    verdict: isInWindow(intent) ? "likely" : "unclear",
    ids,
    lines: [
      `${ids.length} objects with that name were created around that time: ${ids.join(", ")}.`,
      isInWindow(intent)
        ? REPLAY
        : `Choose one of them: erphost intents resolve ${entry.id} --object ${only}`,
    ],
  };
}

function forRotation(intent: Case): Advice {
  const { entry, seen } = intent;
  const { records } = seen;
  const target = entry.target ?? "";
  const lineage = records.find(({ id }) => id === target)?.fields["lineage_id"] ?? target;
  const sinceMs = timeOf(entry) - CLOCK_SKEW_MS;
  const ids = records
    .filter(
      ({ id, fields }) =>
        id !== target &&
        fields["lineage_id"] === lineage &&
        Date.parse(String(fields["created_at"])) >= sinceMs,
    )
    .map(({ id }) => id);
  return {
    verdict: ids.length > 0 ? "likely" : "nothing",
    ids,
    lines: [
      ids.length > 0
        ? `Keys created in the lineage of ${target} since then: ${ids.join(", ")}.`
        : `No key has been created in the lineage of ${target} since then: the rotation never arrived.`,
      isInWindow(intent)
        ? "Run the program again: it repeats the request with the same idempotency key and gets the same new key."
        : "Run the program again: it rotates once more, because the secret from that rotation is lost.",
    ],
  };
}

const timeOf = (entry: IntentEntry): number => entry.serviceTime ?? entry.time;

const isInWindow = ({ entry, contract, nowMs }: Case): boolean =>
  isReplayable(contract, nowMs - timeOf(entry));
