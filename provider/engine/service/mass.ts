/** Stops when more objects are gone at once than are likely to have been deleted. */
import { type Clock, pause, type Reading } from "../../client";
import type { Kind } from "../../resources";
import { engineError } from "../errors";
import type { Ledger } from "../ledger";

const MASS_GONE_MIN = 10;
const MASS_GONE_SHARE = 0.2;
/** The same where everything that was asked for is gone. */
const NONE_LEFT_MIN = 3;
/** After this time without a new question, the host has asked all that it asks at once. */
const QUIET_MS = 150;
const POLL_MS = 25;
/** The longest time that an answer is held; then what is known decides. */
const HOLD_MAX_MS = 60_000;

interface Tally {
  readonly known: ReadonlySet<string>;
  readonly gone: Set<string>;
}

/**
 * A mass is more than 10 objects that are also more than a fifth of those this process knows, or
 * more than 3 that are all it knows: over all kinds together, or of one kind, since a list that is
 * empty by mistake may be a short one. Ids count, not questions, so that asking twice changes
 * nothing, and an object that shows up again no longer counts.
 *
 * The first answers of "gone" come before there are many. Each is therefore held until the reads
 * that were under way with it are answered and, where the objects gone are not clearly few by then,
 * until no read is under way and none has begun for a moment. Hosts read several objects at a time
 * and read no more while all of these are held. Pulumi keeps what a refused refresh has removed
 * until then, so a host that reads one object at a time may lose 3 objects to an empty list.
 */
export class MassGuard {
  /** By kind, and in all. */
  private readonly gone = new Map<string | undefined, Set<string>>();
  /** The objects whose reads are under way, by the number of the question. */
  private readonly inFlight = new Map<number, string>();
  private questionCount = 0;
  private lastQuestionAt = 0;
  private quietMoments = 0;

  constructor(
    private readonly allow: boolean,
    private readonly clock: Clock,
    private readonly ledger: Ledger,
  ) {}

  /** Holds "gone" back until it is clear that it is of no mass. @throws EngineError `mass_gone` */
  async ask(
    kind: Kind,
    id: string,
    read: () => Promise<Reading>,
    signal?: AbortSignal,
  ): Promise<Reading> {
    this.ledger.note({ is: "inState", at: { kind: kind.name, id }, live: false });
    this.lastQuestionAt = this.clock.monotonicMs();
    const question = ++this.questionCount;
    const key = `${kind.name} ${id}`;
    this.inFlight.set(question, key);
    const reading = await read().finally(() => this.inFlight.delete(question));
    for (const { gone } of this.talliesOf(kind.name)) {
      if (reading.state === "gone") gone.add(key);
      else gone.delete(key);
    }
    if (reading.state === "present" || this.allow) return reading;
    await this.hold(kind.name, signal);
    const mass = this.talliesOf(kind.name).find((tally) => this.isMass(tally));
    if (!mass) return reading;
    const subject = { kind: kind.name, id };
    throw engineError("mass_gone", { subject, gone: mass.gone.size, known: mass.known.size });
  }

  private talliesOf(kind: string): Tally[] {
    return [kind, undefined].map((of) => {
      const gone = this.gone.get(of) ?? new Set();
      this.gone.set(of, gone);
      return { known: this.ledger.shown(of), gone };
    });
  }

  private async hold(kind: string, signal: AbortSignal | undefined): Promise<void> {
    const few = (): boolean => this.talliesOf(kind).every((tally) => !isLarge(tally));
    const begunAt = this.clock.monotonicMs();
    const begunIn = this.quietMoments;
    const asked = this.questionCount;
    const alone = (): boolean => [...this.inFlight.keys()].every((question) => question > asked);
    const quiet = (): boolean =>
      this.inFlight.size === 0 && this.clock.monotonicMs() - this.lastQuestionAt >= QUIET_MS;
    while (this.clock.monotonicMs() - begunAt < HOLD_MAX_MS) {
      // A quiet moment releases all that are held, or each would wait for those before it.
      if (this.quietMoments !== begunIn) return;
      if (few() ? alone() : quiet()) {
        if (!few()) this.quietMoments += 1;
        return;
      }
      await pause(this.clock, POLL_MS, signal);
    }
  }

  private isMass(tally: Tally): boolean {
    const { gone, known } = tally;
    if (isLarge(tally) && gone.size > MASS_GONE_MIN) return true;
    // An object whose read is under way is neither there nor gone.
    const open = new Set(this.inFlight.values());
    const answered = [...known].filter((key) => gone.has(key) || !open.has(key));
    return gone.size > NONE_LEFT_MIN && gone.size === answered.length;
  }
}

const isLarge = ({ gone, known }: Tally): boolean => gone.size > known.size * MASS_GONE_SHARE;
