/** Absence as a proof: two whole walks that agree, both begun after the question was asked. */
import { message, type Message } from "../../messages";
import { ABANDONED, manualCancellation, unlessCancelled, type Cancellation } from "../cancellation";
import type { Clock } from "../clock";
import { ErpHostError } from "../errors";
import { redact } from "../redact";
import type { Walk } from "./walk";

/** What came of a question. The walk is the one that decided it. */
export interface Proof {
  readonly gone: boolean;
  readonly walk: Walk;
}

interface Question extends Asked {
  readonly askedAt: number;
  readonly resolve: (proof: Proof) => void;
  readonly reject: (error: unknown) => void;
}

export interface Asked {
  readonly id: string;
  /** When it was created, where that is known: proves more in a list that changes. */
  readonly createdAt?: string | undefined;
}

interface Parts {
  readonly clock: Clock;
  readonly operation: string;
  /** Walks backwards once. */
  readonly walk: (cancel: Cancellation) => Promise<Walk>;
}

/** Walks for one question at most. */
export const WALKS_MAX = 8;
/** After that many walks, two that saw changes will do. */
const PATIENCE_WALKS = 4;
/** Questions that come within this time share their walks. */
const GATHER_MS = 20;

/** Answers questions about one list; those asked at about the same time share the walks. */
export class AbsenceCheck {
  private questions: Question[] = [];
  /** Walks that serve as evidence, oldest first. */
  private walks: Walk[] = [];
  private running = false;
  /** Of the walk under way. */
  private walking: Cancellation | undefined;

  constructor(private readonly parts: Parts) {}

  /** Whether it is gone. Of the walks that were made already, those begun after `askedAt` count. */
  async ask(asked: Asked, askedAt: number, cancel: Cancellation): Promise<Proof> {
    const { promise, ...settle } = Promise.withResolvers<Proof>();
    const question = { ...asked, askedAt, ...settle };
    this.questions.push(question);
    void this.run();
    try {
      const { operation } = this.parts;
      return await unlessCancelled(promise, cancel, { operation, objectId: asked.id });
    } finally {
      this.questions = this.questions.filter((each) => each !== question);
      if (this.questions.length === 0) this.walking?.cancel(ABANDONED);
    }
  }

  addEvidence(walk: Walk): void {
    this.walks = [...this.walks.filter((known) => known !== walk), walk].slice(-WALKS_MAX);
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    const { clock } = this.parts;
    try {
      await new Promise<void>((resolve) => void clock.after(GATHER_MS, resolve));
      this.decide();
      while (this.questions.length > 0) {
        await this.walkOnce(clock.monotonicMs());
        this.decide();
      }
    } finally {
      this.running = false;
    }
  }

  private async walkOnce(begunAt: number): Promise<void> {
    const cancel = (this.walking = manualCancellation());
    try {
      this.addEvidence(await this.parts.walk(cancel));
    } catch (error) {
      // All have left; who came since waits for the next.
      if (cancel.reason === ABANDONED) return;
      // An error is not an answer: those who asked before get it, the others wait for the next.
      const asked = this.questions.filter(({ askedAt }) => askedAt <= begunAt);
      this.questions = this.questions.filter((question) => !asked.includes(question));
      for (const question of asked) question.reject(error);
    }
  }

  private decide(): void {
    this.questions = this.questions.filter((question) => {
      const evidence = this.walks.filter(({ begunAt }) => begunAt >= question.askedAt);
      try {
        const proof = judge(question, evidence, this.parts.operation);
        if (!proof) return true;
        question.resolve(proof);
      } catch (error) {
        question.reject(error);
      }
      return false;
    });
  }
}

/**
 * Judges by the walks that were begun after the question, oldest first; undefined: walk again.
 * @throws ErpHostError where the object is there and can't be read, or nothing can be proved.
 */
export function judge(
  { id, createdAt = "" }: Asked,
  walks: readonly Walk[],
  operation: string,
): Proof | undefined {
  const showing = walks.find(({ records }) => records.has(id));
  if (showing) return { gone: false, walk: showing };
  const odd = walks.find((walk) => walk.odd.has(id));
  if (odd) throw oddRecordError(id, odd.odd.get(id)?.problem, operation);
  const [last, before] = [walks.at(-1), walks.at(-2)];
  const createdMs = Date.parse(createdAt);
  const unskipped = ({ grade, ties }: Walk): boolean =>
    grade === "moving" || (grade === "tied" && !Number.isNaN(createdMs) && !ties.has(createdMs));
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
    why: message("absence_not_proved", {
      id: redact(id, []),
      walks: walks.length,
      why: last?.problem,
    }),
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
export const oddRecordError = (
  id: string,
  why: Message | undefined,
  operation: string,
): ErpHostError =>
  new ErpHostError({
    code: "odd_record",
    operation,
    objectId: id,
    why: message("record_unreadable", { id, why }),
  });
