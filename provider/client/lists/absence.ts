/** "Gone" as a verdict: two whole walks that agree, both begun after the question was asked. */
import type { Clock } from "../clock";
import { ErpHostError } from "../errors";
import type { Walk } from "./walk";

/** What came of a question. The walk is the one that settled it. */
export interface Verdict {
  readonly gone: boolean;
  readonly walk: Walk;
}

interface Question extends Asked {
  readonly askedAt: number;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

/** What is asked about. */
export interface Asked {
  readonly id: string;
  /** When it was created, where that is known: proves more in a list that changes. */
  readonly createdAt?: string | undefined;
}

interface Parts {
  readonly clock: Clock;
  readonly operation: string;
  /** Walks backwards once. */
  readonly walk: () => Promise<Walk>;
}

/** Walks for one question at most. */
export const WALKS_MAX = 8;
/** From so many walks on, two will do that saw changes on their way. */
const PATIENCE_WALKS = 4;
/** Questions that come within this time share their walks. */
const GATHER_MS = 20;

/** Answers questions about one list; those asked at about the same time share the walks. */
export interface Court {
  /** Is it gone? Of the walks already made only later ones count. */
  ask(asked: Asked, askedAt: number): Promise<Verdict>;
  /** A walk made for other reasons, that may serve as evidence. */
  witness(walk: Walk): void;
}

export function createCourt({ clock, operation, walk }: Parts): Court {
  let questions: Question[] = [];
  /** Evidence, oldest first. */
  let walks: Walk[] = [];
  let sitting = false;

  const keep = (made: Walk) => {
    walks = [...walks.filter((known) => known !== made), made].slice(-WALKS_MAX);
  };

  const decide = () => {
    questions = questions.filter((question) => {
      const evidence = walks.filter(({ begunAt }) => begunAt >= question.askedAt);
      try {
        const verdict = judge(question, evidence, operation);
        if (!verdict) return true;
        question.resolve(verdict);
      } catch (error) {
        question.reject(error);
      }
      return false;
    });
  };

  const sit = async () => {
    if (sitting) return;
    sitting = true;
    try {
      await new Promise<void>((resolve) => void clock.after(GATHER_MS, resolve));
      decide();
      while (questions.length > 0) {
        const begunAt = clock.monotonicMs();
        try {
          keep(await walk());
        } catch (error) {
          // An error is no answer: those who asked before get it, the others wait for the next.
          const asked = questions.filter(({ askedAt }) => askedAt <= begunAt);
          questions = questions.filter((question) => !asked.includes(question));
          for (const question of asked) question.reject(error);
        }
        decide();
      }
    } finally {
      sitting = false;
    }
  };

  return {
    ask: (asked, askedAt) =>
      new Promise((resolve, reject) => {
        questions.push({ ...asked, askedAt, resolve, reject });
        void sit();
      }),
    witness: keep,
  };
}

/**
 * Judges by the walks that were begun after the question, oldest first; undefined: walk again.
 * @throws ErpHostError where the object is there and can't be read, or nothing can be proved.
 */
export function judge(
  { id, createdAt = "" }: Asked,
  walks: readonly Walk[],
  operation: string,
): Verdict | undefined {
  const found = walks.find(({ records }) => records.has(id));
  if (found) return { gone: false, walk: found };
  const odd = walks.find((walk) => walk.odd.has(id));
  if (odd) throw oddRecordError(id, odd.odd.get(id)?.problem ?? "it is odd", operation);
  const [last, before] = [walks.at(-1), walks.at(-2)];
  const made = Date.parse(createdAt);
  const unskipped = ({ grade, ties }: Walk): boolean =>
    grade === "moving" || (grade === "tied" && !Number.isNaN(made) && !ties.has(made));
  const proving = walks.filter(
    (walk) => walk.grade === "still" || (walks.length >= PATIENCE_WALKS && unskipped(walk)),
  );
  if (last && proving.length >= 2) return { gone: true, walk: last };
  const counted = [last, before].every((walk) => walk && isCounted(walk));
  if (last && before && counted && sameIds(last, before)) return { gone: true, walk: last };
  if (walks.length < WALKS_MAX) return undefined;
  throw new ErpHostError({
    code: "unproved_absence",
    operation,
    objectId: id,
    reason: `${walks.length} walks did not show ${id}, and none of them proves that it is gone: ${last?.problem ?? "they do not agree"}`,
    remedy: "Nothing was concluded. Try again when less is going on.",
    retryable: true,
  });
}

const isCounted = ({ grade }: Walk) => grade === "still" || grade === "counted";

function sameIds(one: Walk, other: Walk): boolean {
  if (one.records.size !== other.records.size || one.odd.size !== other.odd.size) return false;
  for (const id of one.records.keys()) if (!other.records.has(id)) return false;
  for (const id of one.odd.keys()) if (!other.odd.has(id)) return false;
  return true;
}

/** The object is in the list, and its record can't be used. */
export const oddRecordError = (id: string, problem: string, operation: string): ErpHostError =>
  new ErpHostError({
    code: "odd_record",
    operation,
    objectId: id,
    reason: `${id} is in the list, but can't be read: ${problem}`,
    remedy: "Report it to the service, or map the field in a contract profile.",
  });
