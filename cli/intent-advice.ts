/** What became of an interrupted create or rotation, and what to do about it. Pure. */
import type { Contract, ServiceRecord } from "../provider/contract";
import { isNear, isReplayable, type IntentEntry } from "../provider/engine";

export interface Advice {
  readonly verdict: "exists" | "gone" | "likely" | "unclear" | "nothing";
  /** Objects that may have come of it. */
  readonly ids: readonly string[];
  /** Sentences: what was found, then what to do. */
  readonly lines: readonly string[];
}

/** Keys made so long before a rotation by our clock may be its own. */
const AROUND_MS = 10 * 60_000;

const timeOf = (entry: IntentEntry): number => entry.serviceTime ?? entry.time;

/** `server erp` or, of a rotation, `api_key key_1`. */
export const subjectOf = ({ kind, name, target }: IntentEntry): string =>
  [kind, name ?? target].filter((word) => word !== undefined).join(" ");

/** `records`: the whole list of the intent's kind. */
export function adviceFor(
  entry: IntentEntry,
  records: readonly ServiceRecord[],
  contract: Contract,
  nowMs: number,
): Advice {
  if (entry.operation === "rotate") return ofRotation(entry, records, contract, nowMs);
  return entry.answer === undefined
    ? ofUnanswered(entry, records, contract, nowMs)
    : ofAnswered(entry, entry.answer, records);
}

const drop = ({ id }: IntentEntry): string => `erphost intents drop ${id}`;

function ofAnswered(entry: IntentEntry, answer: string, records: readonly ServiceRecord[]): Advice {
  if (!records.some(({ id }) => id === answer)) {
    return {
      verdict: "gone",
      ids: [],
      lines: [
        `The create answered ${entry.kind} ${answer}, and the service does not list it any more.`,
        `There is nothing left to find: ${drop(entry)}`,
      ],
    };
  }
  return {
    verdict: "exists",
    ids: [answer],
    lines: [
      `The create made ${entry.kind} ${answer}, and it exists.`,
      "Run the program again: it takes this object and makes no second one.",
      `If your state has ${answer} already, or you import it, drop the intent: ${drop(entry)}`,
    ],
  };
}

function ofUnanswered(
  entry: IntentEntry,
  records: readonly ServiceRecord[],
  contract: Contract,
  nowMs: number,
): Advice {
  const near = records.filter((record) => isNear(entry, record));
  const ids = near.map(({ id }) => id);
  const inWindow = isInWindow(entry, contract, nowMs);
  const [only, ...more] = ids;
  if (only === undefined) {
    return {
      verdict: "nothing",
      ids,
      lines: [
        `No ${subjectOf(entry)} was created around that time: the request did not arrive, or the object is gone.`,
        `Run the program again, or drop the intent: ${drop(entry)}`,
      ],
    };
  }
  if (more.length === 0) {
    return {
      verdict: "likely",
      ids,
      lines: [
        `${subjectOf(entry)} was created around that time: ${only}. It is most likely what this create made.`,
        inWindow
          ? "Run the program again: it asks with the same idempotency key and takes the object that comes back."
          : "Run the program again: it adopts this object, and says so.",
      ],
    };
  }
  return {
    verdict: inWindow ? "likely" : "unclear",
    ids,
    lines: [
      `${ids.length} objects were created around that time under that name: ${ids.join(", ")}.`,
      inWindow
        ? "Run the program again: it asks with the same idempotency key and takes the object that comes back."
        : `Say which one it is: erphost intents resolve ${entry.id} --object ${only}`,
    ],
  };
}

function ofRotation(
  entry: IntentEntry,
  records: readonly ServiceRecord[],
  contract: Contract,
  nowMs: number,
): Advice {
  const target = entry.target ?? "";
  const rotated = records.find(({ id }) => id === target);
  const line = rotated?.fields["lineage_id"] ?? target;
  const ids = records
    .filter(
      ({ id, fields }) =>
        id !== target &&
        fields["lineage_id"] === line &&
        Date.parse(String(fields["created_at"])) >= timeOf(entry) - AROUND_MS,
    )
    .map(({ id }) => id);
  const again = isInWindow(entry, contract, nowMs)
    ? "Run the program again: it asks with the same idempotency key and gets the same new key."
    : "Run the program again: it rotates once more, as nobody holds the secret of that rotation.";
  return {
    verdict: ids.length > 0 ? "likely" : "nothing",
    ids,
    lines: [
      ids.length > 0
        ? `Since then the line of ${target} has got ${ids.join(", ")}.`
        : `The line of ${target} has got no key since then: the rotation did not arrive.`,
      again,
    ],
  };
}

const isInWindow = (entry: IntentEntry, contract: Contract, nowMs: number): boolean =>
  isReplayable(contract, nowMs - timeOf(entry));
